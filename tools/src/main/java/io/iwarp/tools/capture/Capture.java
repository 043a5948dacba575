package io.iwarp.tools.capture;

import io.iwarp.conformance.report.PcapFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ServerSocketChannel;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Writes all bytes on the sockets of a command to one pcap file for Wireshark.
 *
 * <p>The TCP segments are synthetic: their boundaries are chosen so that Wireshark can decode them, see
 * {@link MpaSegments}. The file does not show the segments and acknowledgements of the kernel.
 */
public final class Capture implements Closeable {
    private static final long MICROS_PER_MILLI = 1000;

    private final PcapFile file;

    private Capture(PcapFile file) {
        this.file = file;
    }

    /** Creates the file, or empties it, and writes its header. */
    public static Capture create(Path path) throws IOException {
        return new Capture(new PcapFile(new CaptureStream(path), () -> System.currentTimeMillis() * MICROS_PER_MILLI));
    }

    /** Adds the capturing handler. Call this method before other handlers are added to the pipeline. */
    public void addTo(ChannelPipeline pipeline) {
        pipeline.addLast(new Tap());
    }

    /** Closes the file, and throws why it could not be written. Call this method after all channels are closed. */
    @Override
    public void close() throws IOException {
        synchronized (file) {
            file.close();
        }
    }

    /** Shows {@link CapturedConnection} what passes. */
    private final class Tap extends ChannelDuplexHandler {
        private PcapFile.@Nullable Connection written;
        private @Nullable CapturedConnection connection;

        @Override
        public void channelActive(ChannelHandlerContext ctx) throws Exception {
            if (ctx.channel().remoteAddress() instanceof InetSocketAddress there
                    && ctx.channel().localAddress() instanceof InetSocketAddress here) {
                boolean server = ctx.channel().parent() instanceof ServerSocketChannel;
                synchronized (file) {
                    PcapFile.Connection opened = server ? file.open(there, here) : file.open(here, there);
                    written = opened;
                    connection = new CapturedConnection((outbound, bytes) -> {
                        synchronized (file) {
                            opened.send(outbound != server, ByteBufUtil.getBytes(bytes), Integer.MAX_VALUE);
                        }
                    });
                }
            }
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) throws IOException {
            if (connection != null && message instanceof ByteBuf bytes) {
                connection.received(bytes);
            }
            ctx.fireChannelRead(message);
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) throws IOException {
            if (connection != null && message instanceof ByteBuf bytes) {
                connection.sent(bytes);
            }
            ctx.write(message, promise);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws IOException {
            if (connection != null && written != null) {
                connection.end();
                connection = null;
                synchronized (file) {
                    written.close();
                }
            }
            ctx.fireChannelInactive();
        }
    }
}
