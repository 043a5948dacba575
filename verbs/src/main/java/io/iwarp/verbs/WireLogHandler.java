package io.iwarp.verbs;

import io.iwarp.rdmap.WireReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line for each MPA frame and FPDU on the wire, decoded, at level TRACE. Add one handler to each channel,
 * between the transport (or TLS) and MPA:
 *
 * <pre>{@code
 * client.transportHandlers(pipeline -> pipeline.addLast(new WireLogHandler()))
 *
 * [id: 0x5e1b...] -> MPA Request Frame: revision 1, CRC, 0 bytes of private data
 * [id: 0x5e1b...] <- MPA Reply Frame: revision 1, CRC, 0 bytes of private data
 * [id: 0x5e1b...] -> RDMA Write: 64 bytes to STag 0x1f2e3d4c TO 0x0, last
 * [id: 0x5e1b...] -> Send: MSN 1, 12 bytes at 0, last
 * }</pre>
 *
 * <p>{@code ->} marks output, logged when it is handed to the transport. {@code <-} marks input, logged before it is
 * checked: a wrong CRC is not visible here. Payload and private data are not logged. The handler passes all bytes on
 * unchanged and keeps only the headers of the current FPDU. After a start without start-up frames, it cannot decode
 * FPDUs with markers.
 *
 * <p>While TRACE is disabled, the handler parses headers but creates no text.
 */
public final class WireLogHandler extends ChannelDuplexHandler {
    /** The name of the default logger. */
    public static final String LOGGER_NAME = "io.iwarp.wire";

    private final Logger logger;
    private final WireReader sent = new WireReader();
    private final WireReader received = new WireReader();
    private Consumer<WireReader> logSent = reader -> {};
    private Consumer<WireReader> logReceived = reader -> {};

    /** Logs to the logger {@value #LOGGER_NAME}. */
    public WireLogHandler() {
        this(LOGGER_NAME);
    }

    /** Logs to the logger of the given name. */
    public WireLogHandler(String loggerName) {
        this.logger = LoggerFactory.getLogger(loggerName);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        logSent = reader -> log(ctx, "->", reader);
        logReceived = reader -> log(ctx, "<-", reader);
    }

    private void log(ChannelHandlerContext ctx, String direction, WireReader reader) {
        if (logger.isTraceEnabled()) {
            // Convert to text now: a slow appender would show a later state of the channel.
            logger.trace("{} {} {}", ctx.channel().toString(), direction, reader.describe());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            received.read(bytes, sent, logReceived);
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf bytes) {
            sent.read(bytes, received, logSent);
        }
        ctx.write(message, promise);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        sent.end(logSent);
        received.end(logReceived);
        ctx.fireChannelInactive();
    }
}
