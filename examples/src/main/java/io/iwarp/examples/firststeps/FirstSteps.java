package io.iwarp.examples.firststeps;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.IwarpConnector;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

public final class FirstSteps {
    private static final ProtectionDomain DOMAIN = ProtectionDomain.create();

    private static void onConnectionRequest(ConnectionRequest request) { // (2)
        QueuePair queuePair = request.queuePair();
        MemoryRegion region = DOMAIN
                .region()
                .allocate(ByteBufAllocator.DEFAULT, 4096)
                .rights(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ)
                .stream(queuePair.stream()) // (3)
                .register();
        queuePair.closed().thenRun(region::close);
        ByteBuf message = Unpooled.buffer(64, 64); // (4)
        queuePair.receive(message).thenRun(() -> {
            ByteBuf written = Unpooled.buffer(15).writeZero(15);
            region.span().get(0, written, 0, 15);
            System.out.println("server: " + written.toString(UTF_8) + message.toString(UTF_8));
        });
        request.accept(region.remoteBuffer()); // (5)
    }

    public static void main(String[] args) throws Exception {
        var group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        var server = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class); // (1)
        var responder = IwarpChannelInitializer.responder(DOMAIN, FirstSteps::onConnectionRequest);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var listener = IwarpListener.listen(server, responder, address).get();

        var client = new Bootstrap().group(group).channel(NioSocketChannel.class);
        var connector = new IwarpConnector(client, IwarpChannelInitializer.initiator(DOMAIN));
        QueuePair queuePair = connector.connect(listener.localAddress()).get(); // (6)
        RemoteBuffer memory = queuePair.remoteBuffers().get(0);
        queuePair.write(Unpooled.copiedBuffer("written by RDMA", UTF_8), memory); // (7)
        ByteBuf back = Unpooled.directBuffer(15);
        queuePair.read(back, memory.slice(0, 15)).get(); // (8)
        System.out.println("client: read back: " + back.toString(UTF_8));
        back.release();
        queuePair.send(Unpooled.copiedBuffer(", it is there", UTF_8)); // (9)

        Duration deadline = Duration.ofSeconds(5);
        connector.shutdownGracefully(deadline).toCompletableFuture().get();
        listener.shutdownGracefully(deadline).toCompletableFuture().get();
        group.shutdownGracefully().sync(); // (10)
    }
}
