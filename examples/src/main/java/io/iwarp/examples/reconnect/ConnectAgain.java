package io.iwarp.examples.reconnect;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public final class ConnectAgain {
    private static final int ATTEMPTS = 5;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final AtomicInteger requests = new AtomicInteger();
    private final Iwarp.Client clients = Iwarp.client(group);

    private void onConnectionRequest(ConnectionRequest request) {
        MemoryRegion region = domain.allocate(Long.BYTES, AccessRight.REMOTE_READ);
        request.queuePair().closed().thenRun(region::close);
        region.setBytes(0, Unpooled.copyLong(42));
        RemoteBuffer advertised = region.remoteBuffer();
        if (requests.incrementAndGet() == 1) {
            region.close(); // invalidates its STag before the client reads
        }
        request.accept(advertised);
    }

    private CompletableFuture<Long> readNumber(SocketAddress server, int attempt) {
        return clients.connect(server).thenCompose(this::readNumber).exceptionallyCompose(failure -> {
            System.out.println("attempt " + attempt + ": " + why(failure));
            if (attempt == ATTEMPTS) {
                return CompletableFuture.failedFuture(failure);
            }
            Executor later = CompletableFuture.delayedExecutor(50L << attempt, TimeUnit.MILLISECONDS);
            return CompletableFuture.supplyAsync(() -> readNumber(server, attempt + 1), later)
                    .thenCompose(next -> next);
        });
    }

    private CompletableFuture<Long> readNumber(QueuePair queuePair) {
        RemoteBuffer number = queuePair.remoteBuffer();
        ByteBuf sink = ByteBufAllocator.DEFAULT.directBuffer(Long.BYTES);
        return queuePair.read(sink, number).thenApply(read -> sink.readLong()).whenComplete((value, failure) -> {
            sink.release();
            queuePair.close();
        });
    }

    private static String why(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof ConnectionClosedException ended) {
            CloseReason reason = ended.reason();
            return reason.endedBy() + ", " + reason.error();
        }
        return cause.toString();
    }

    public static void main(String[] args) throws Exception {
        ConnectAgain program = new ConnectAgain();
        try {
            IwarpListener listener = Iwarp.server(program.group)
                    .domain(program.domain)
                    .onRequest(program::onConnectionRequest)
                    .listen("localhost", 0)
                    .get();
            System.out.println(
                    "read " + program.readNumber(listener.localAddress(), 1).get());
            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
        } finally {
            program.group.shutdownGracefully().sync();
        }
    }
}
