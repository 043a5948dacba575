package io.iwarp.examples;

// The README shows the rest of this file; ReadmeTest compares them and runs it.
// [README]
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

public final class ReadmeExample {
    private static final int SIZE = 1 << 20;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();

    /** Server: gives each client memory of its own to write and read, and waits for the message that it has done so. */
    private void onConnectionRequest(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();
        MemoryRegion region = domain
                .region()
                .allocate(ByteBufAllocator.DEFAULT, SIZE)
                .rights(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ)
                .stream(queuePair.stream())
                .register();
        queuePair.closed().thenRun(region::close);

        ByteBuf message = Unpooled.buffer(Integer.BYTES, Integer.BYTES);
        queuePair.receive(message).thenRun(() -> {
            byte[] written = new byte[message.readInt()];
            region.span().get(0, Unpooled.wrappedBuffer(written), 0, written.length);
            System.out.println("server: " + new String(written, StandardCharsets.UTF_8));
        });

        ByteBuf advertisement = Unpooled.buffer(RemoteBuffer.ENCODED_LENGTH);
        region.remoteBuffer().encode(advertisement);
        request.accept(ByteBufUtil.getBytes(advertisement));
    }

    /** Client: writes into the server's memory, reads that back, then sends how much it was. */
    private void writeAndRead(InetSocketAddress server) throws Exception {
        QueuePair queuePair = new IwarpConnector(
                        new Bootstrap().group(group).channel(NioSocketChannel.class),
                        IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], fresh -> {}))
                .connect(server)
                .get();
        RemoteBuffer memory = RemoteBuffer.decode(
                Unpooled.wrappedBuffer(queuePair.parameters().peerPrivateData()));

        ByteBuf text = Unpooled.copiedBuffer("written by RDMA", StandardCharsets.UTF_8);
        queuePair.write(text, memory);
        ByteBuf back = ByteBufAllocator.DEFAULT.directBuffer(text.readableBytes());
        queuePair.read(back, memory.slice(0, text.readableBytes())).get();
        System.out.println("client: read back: " + back.toString(StandardCharsets.UTF_8));
        back.release();

        queuePair.send(Unpooled.copyInt(text.readableBytes())).get();
        queuePair.close();
        queuePair.closed().toCompletableFuture().get();
    }

    public static void main(String[] args) throws Exception {
        ReadmeExample example = new ReadmeExample();
        try (IwarpListener listener = IwarpListener.listen(
                        new ServerBootstrap().group(example.group).channel(NioServerSocketChannel.class),
                        IwarpChannelInitializer.responder(
                                example.domain, QueuePairSettings.DEFAULT, example::onConnectionRequest),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .get()) {
            example.writeAndRead((InetSocketAddress) listener.localAddress());
        } finally {
            example.group.shutdownGracefully().sync();
        }
    }
}
