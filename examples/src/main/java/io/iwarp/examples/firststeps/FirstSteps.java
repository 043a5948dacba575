package io.iwarp.examples.firststeps;

import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A server and a client in one process. The client writes to the memory of the server, and reads it back. */
public final class FirstSteps {
    public static void main(String[] args) throws Exception {
        var group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory()); // (1)
        ProtectionDomain domain = ProtectionDomain.create();
        MemoryRegion region = domain.allocate(4096, REMOTE_READ, REMOTE_WRITE); // (2)
        var server = Iwarp.server(group)
                .domain(domain)
                .onRequest(request -> request.accept(region)) // (3)
                .onMessage(64, (sender, message) -> { // (4)
                    ByteBuf text = Unpooled.buffer();
                    region.getBytes(0, text, 15);
                    text.writeBytes(message.bytes());
                    System.out.println("server: " + text.toString(UTF_8));
                })
                .listen("localhost", 0)
                .get();

        QueuePair client = Iwarp.client(group).connect(server.localAddress()).get(); // (5)
        RemoteBuffer memory = client.remoteBuffer();
        client.write(Unpooled.copiedBuffer("written by RDMA", UTF_8), memory); // (6)
        ByteBuf back = Unpooled.directBuffer(15);
        client.read(back, memory.slice(0, 15)).get(); // (7)
        System.out.println("client: read back: " + back.toString(UTF_8));
        back.release();
        client.send(Unpooled.copiedBuffer(", it is there", UTF_8));
        client.closeGracefully().get(); // (8)
        server.shutdownGracefully(Duration.ofSeconds(5)).get();
        region.close();
        domain.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }
}
