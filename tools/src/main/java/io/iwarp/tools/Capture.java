package io.iwarp.tools;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.handler.pcap.PcapWriteHandler;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One pcap file with everything that crosses the sockets of a command, for Wireshark.
 *
 * <p>The TCP around the bytes is made up by {@link PcapWriteHandler}: what the kernel really did with segments and
 * acknowledgements is not in it.
 */
final class Capture implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final OutputStream file;

    private Capture(OutputStream file) {
        this.file = file;
    }

    /** Creates the file, or empties it, and writes its header. */
    static Capture create(Path path) throws IOException {
        OutputStream file = new BufferedOutputStream(Files.newOutputStream(path), BUFFER_BYTES);
        PcapWriteHandler.writeGlobalHeader(file);
        return new Capture(file);
    }

    /** Adds the tap; call it before anything else is added to the pipeline. */
    void addTo(ChannelPipeline pipeline) {
        pipeline.addLast(new Tap());
    }

    /** Ends the file; call it when all channels are closed. */
    @Override
    public void close() throws IOException {
        synchronized (file) {
            file.close();
        }
    }

    /**
     * Puts Netty's handler in front once the addresses are known, and keeps it from two of its faults: it takes written
     * bytes from index 0 on where the reader index says otherwise, and its IPv6 headers have no version.
     */
    private final class Tap extends ChannelDuplexHandler {
        @Override
        public void channelActive(ChannelHandlerContext ctx) throws Exception {
            var writer = PcapWriteHandler.builder().writePcapGlobalHeader(false).sharedOutputStream(true);
            if (ctx.channel().remoteAddress() instanceof InetSocketAddress remote
                    && ctx.channel().localAddress() instanceof InetSocketAddress local
                    && remote.getAddress() instanceof Inet6Address) {
                boolean server = ctx.channel().parent() instanceof ServerSocketChannel;
                InetSocketAddress here = standIn(local, 1);
                InetSocketAddress there = standIn(remote, 2);
                writer.forceTcpChannel(server ? here : there, server ? there : here, server);
            }
            ctx.pipeline().addBefore(ctx.name(), null, writer.build(file));
            ctx.fireChannelActive();
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            boolean late = message instanceof ByteBuf bytes && bytes.readerIndex() != 0;
            ctx.write(late ? ((ByteBuf) message).slice() : message, promise);
        }

        /** An IPv4 address of those set aside for documentation (RFC 5737), with the true port. */
        private static InetSocketAddress standIn(InetSocketAddress address, int host) throws UnknownHostException {
            byte[] ipv4 = {(byte) 192, 0, 2, (byte) host};
            return new InetSocketAddress(InetAddress.getByAddress(ipv4), address.getPort());
        }
    }
}
