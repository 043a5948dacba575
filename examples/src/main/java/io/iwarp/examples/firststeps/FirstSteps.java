package io.iwarp.examples.firststeps;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
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
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

public final class FirstSteps {
    private static final int SIZE = 4096;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();

    /** (1) The server listens, on a port that the system chooses. */
    private IwarpListener listen() throws Exception {
        return IwarpListener.listen(
                        new ServerBootstrap().group(group).channel(NioServerSocketChannel.class),
                        IwarpChannelInitializer.responder(domain, QueuePairSettings.DEFAULT, this::onConnectionRequest),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .get();
    }

    /** (2) A client asks for a connection. */
    private void onConnectionRequest(ConnectionRequest request) {
        QueuePair queuePair = request.queuePair();

        MemoryRegion region = domain
                .region() // (3)
                .allocate(ByteBufAllocator.DEFAULT, SIZE)
                .rights(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ)
                .stream(queuePair.stream())
                .register();
        queuePair.closed().thenRun(region::close);

        receive(queuePair, region, Unpooled.buffer(Integer.BYTES, Integer.BYTES)); // (4)

        ByteBuf advertisement = Unpooled.buffer(RemoteBuffer.ENCODED_LENGTH); // (5)
        region.remoteBuffer().encode(advertisement);
        request.accept(ByteBufUtil.getBytes(advertisement));
    }

    /** Takes one message after the other, all in the same buffer. */
    private static void receive(QueuePair queuePair, MemoryRegion region, ByteBuf message) {
        queuePair
                .receive(message)
                .thenRun(() -> {
                    int bytes = message.readInt();
                    receive(queuePair, region, message.clear()); // before the answer, which permits the next message
                    onMessage(queuePair, region, bytes);
                })
                .exceptionally(failure -> {
                    queuePair.close(); // does nothing if the connection is over; else the message was too short
                    return null;
                });
    }

    /** (6) The client says how many bytes it has written. */
    private static void onMessage(QueuePair queuePair, MemoryRegion region, int bytes) {
        byte[] written = new byte[Math.max(0, Math.min(bytes, SIZE))];
        region.span().get(0, Unpooled.wrappedBuffer(written), 0, written.length);
        System.out.println("server: it wrote: " + new String(written, StandardCharsets.UTF_8));
        queuePair.send(Unpooled.copiedBuffer("thank you", StandardCharsets.UTF_8));
    }

    private void talk(SocketAddress server) throws Exception {
        QueuePair queuePair = new IwarpConnector( // (7)
                        new Bootstrap().group(group).channel(NioSocketChannel.class),
                        IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], fresh -> {}))
                .connect(server)
                .get();
        RemoteBuffer memory = RemoteBuffer.decode(
                Unpooled.wrappedBuffer(queuePair.parameters().peerPrivateData()));

        ByteBuf text = Unpooled.copiedBuffer("written by RDMA", StandardCharsets.UTF_8); // (8)
        queuePair.write(text, memory);

        ByteBuf back = ByteBufAllocator.DEFAULT.directBuffer(text.readableBytes()); // (9)
        queuePair.read(back, memory.slice(0, text.readableBytes())).get();
        System.out.println("client: read back: " + back.toString(StandardCharsets.UTF_8));
        back.release();

        ByteBuf answer = Unpooled.buffer(64, 64); // (10)
        CompletableFuture<Completion> answered = queuePair.receive(answer);
        queuePair.send(Unpooled.copyInt(text.readableBytes()));
        answered.get(10, TimeUnit.SECONDS);
        System.out.println("client: answer: " + answer.toString(StandardCharsets.UTF_8));

        queuePair.close(); // (11)
        queuePair.closed().toCompletableFuture().get();
    }

    public static void main(String[] args) throws Exception {
        FirstSteps program = new FirstSteps();
        try {
            IwarpListener listener = program.listen();
            program.talk(listener.localAddress());
            listener.shutdownGracefully(Duration.ofSeconds(5))
                    .toCompletableFuture()
                    .get(); // (12)
        } finally {
            program.group.shutdownGracefully().sync();
        }
    }
}
