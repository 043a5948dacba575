package io.iwarp.examples.firststeps;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

public final class FirstSteps {
    private static void onConnectionRequest(ConnectionRequest request) { // (2)
        QueuePair queuePair = request.queuePair();
        MemoryRegion region = queuePair
                .region() // (3)
                .allocate(ByteBufAllocator.DEFAULT, 4096)
                .rights(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ)
                .register();
        queuePair.closed().thenRun(region::close);
        ByteBuf message = Unpooled.buffer(64, 64); // (4)
        queuePair.receive(message).thenRun(() -> {
            ByteBuf written = Unpooled.buffer(15);
            region.getBytes(0, written, 15);
            System.out.println("server: " + written.toString(UTF_8) + message.toString(UTF_8));
        });
        request.accept(region); // (5)
    }

    public static void main(String[] args) throws Exception {
        var group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory()); // (1)
        IwarpListener listener = Iwarp.server(group)
                .onRequest(FirstSteps::onConnectionRequest)
                .listen("localhost", 0)
                .get();

        Iwarp.Client client = Iwarp.client(group);
        QueuePair queuePair = client.connect(listener.localAddress()).get(); // (6)
        RemoteBuffer memory = queuePair.remoteBuffer();
        queuePair.write(Unpooled.copiedBuffer("written by RDMA", UTF_8), memory); // (7)
        ByteBuf back = Unpooled.directBuffer(15);
        queuePair.read(back, memory.slice(0, 15)).get(); // (8)
        System.out.println("client: read back: " + back.toString(UTF_8));
        back.release();
        queuePair.send(Unpooled.copiedBuffer(", it is there", UTF_8)); // (9)

        Duration deadline = Duration.ofSeconds(5);
        client.shutdownGracefully(deadline).get();
        listener.shutdownGracefully(deadline).get();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync(); // (10)
    }
}
