package io.iwarp.rdmap;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line for each MPA frame and FPDU that crosses the wire, decoded, at level TRACE. It goes between the transport
 * (or TLS) and MPA, one for each channel:
 *
 * <pre>{@code
 * initializer.withTransportHandlers(pipeline -> pipeline.addLast(new WireLogHandler()))
 *
 * [id: 0x5e1b..., L:/127.0.0.1:40310 - R:/127.0.0.1:7471] -> MPA Request Frame: revision 1, CRC, 0 bytes of private data
 * [id: 0x5e1b..., L:/127.0.0.1:40310 - R:/127.0.0.1:7471] <- MPA Reply Frame: revision 1, CRC, 0 bytes of private data
 * [id: 0x5e1b..., L:/127.0.0.1:40310 - R:/127.0.0.1:7471] -> RDMA Write: 64 bytes to STag 0x1f2e3d4c TO 0x0, last
 * [id: 0x5e1b..., L:/127.0.0.1:40310 - R:/127.0.0.1:7471] -> Send: MSN 1, 12 bytes at 0, last
 * }</pre>
 *
 * <p>{@code ->} is what this side sends, when it is handed to the transport; {@code <-} is what comes, before it is checked:
 * a wrong CRC does not show here. Payload and private data are not logged. Bytes are passed on as they are, none is kept but
 * the headers of the FPDU at hand. Of a start without start-up frames, FPDUs with markers cannot be read.
 *
 * <p>While the logger is not enabled for TRACE, headers are followed but no text is made.
 */
public final class WireLogHandler extends ChannelDuplexHandler {
    /** The name of the logger that is used if none is given. */
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

    /** Logs to the logger of that name. */
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
            // Its text at once: an appender that is slow would show the channel as it is later.
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
