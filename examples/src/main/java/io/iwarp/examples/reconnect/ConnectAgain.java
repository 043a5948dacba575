package io.iwarp.examples.reconnect;

import io.iwarp.CloseReason;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.ReconnectListener;
import io.iwarp.verbs.Reconnector;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public final class ConnectAgain implements ReconnectListener {
    private final CompletableFuture<Long> number = new CompletableFuture<>();

    @Override
    public void onConnected(QueuePair queuePair) {
        ByteBuf sink = ByteBufAllocator.DEFAULT.directBuffer(Long.BYTES);
        queuePair
                .read(sink, queuePair.remoteBuffer()) // the new advertisement
                .thenAccept(read -> number.complete(sink.readLong()))
                .whenComplete((done, failure) -> sink.release());
    }

    @Override
    public void onDisconnected(CloseReason reason, Duration pause) {
        System.out.println(pause == null ? "closed" : "lost, and connecting again");
    }

    public static void main(String[] args) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        ProtectionDomain domain = ProtectionDomain.create();
        MemoryRegion region = domain.allocate(Long.BYTES, AccessRight.REMOTE_READ);
        region.setBytes(0, Unpooled.copyLong(42));
        AtomicInteger connections = new AtomicInteger();
        try {
            IwarpListener listener = Iwarp.server(group)
                    .domain(domain)
                    .onRequest(request -> {
                        if (connections.incrementAndGet() == 1) {
                            request.queuePair().abort(); // the first client loses its connection
                        }
                        request.accept(region);
                    })
                    .listen("localhost", 0)
                    .get();

            ConnectAgain client = new ConnectAgain();
            Reconnector reconnector = Iwarp.client(group).stayConnected(listener.localAddress(), client);
            System.out.println("read " + client.number.get());
            reconnector.close();
            reconnector.closed().get();

            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
            region.close();
            domain.close();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
