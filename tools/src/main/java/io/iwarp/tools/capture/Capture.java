package io.iwarp.tools.capture;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.handler.pcap.PcapWriteHandler;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Writes all bytes on the sockets of a command to one pcap file for Wireshark.
 *
 * <p>The TCP segments are synthetic: their boundaries are chosen so that Wireshark can decode them, see
 * {@link MpaSegments}. The file does not show the segments and acknowledgements of the kernel.
 */
public final class Capture implements Closeable {
    private final OutputStream file;

    private Capture(OutputStream file) {
        this.file = file;
    }

    /** Creates the file, or empties it, and writes its header. */
    public static Capture create(Path path) throws IOException {
        OutputStream file = new CaptureFile(path);
        PcapWriteHandler.writeGlobalHeader(file);
        return new Capture(file);
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

    /**
     * Shows {@link CapturedConnection} what passes. IPv6 is shown as IPv4, because the IPv6 headers of Netty's handler
     * have no version.
     */
    private final class Tap extends ChannelDuplexHandler {
        private @Nullable CapturedConnection connection;

        @Override
        public void channelActive(ChannelHandlerContext ctx) throws Exception {
            if (ctx.channel().remoteAddress() instanceof InetSocketAddress remote
                    && ctx.channel().localAddress() instanceof InetSocketAddress local) {
                boolean server = ctx.channel().parent() instanceof ServerSocketChannel;
                InetSocketAddress here = ipv4(local, 1);
                InetSocketAddress there = ipv4(remote, 2);
                connection = new CapturedConnection(PcapWriteHandler.builder()
                        .writePcapGlobalHeader(false)
                        .sharedOutputStream(true)
                        .forceTcpChannel(server ? here : there, server ? there : here, server)
                        .build(file));
            }
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (connection != null && message instanceof ByteBuf bytes) {
                connection.received(bytes);
            }
            ctx.fireChannelRead(message);
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            if (connection != null && message instanceof ByteBuf bytes) {
                connection.sent(bytes);
            }
            ctx.write(message, promise);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (connection != null) {
                connection.close();
                connection = null;
            }
            ctx.fireChannelInactive();
        }

        /** An IPv6 address becomes one of those IPv4 addresses that are for documentation (RFC 5737). */
        private static InetSocketAddress ipv4(InetSocketAddress address, int host) throws UnknownHostException {
            if (!(address.getAddress() instanceof Inet6Address)) {
                return address;
            }
            byte[] standIn = {(byte) 192, 0, 2, (byte) host};
            return new InetSocketAddress(InetAddress.getByAddress(standIn), address.getPort());
        }
    }
}
