package io.iwarp.spark;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Another executor, and the connections to it. A connection is made when it is needed, and again after its end. After a
 * failure to connect, there is a pause of {@link #PAUSE}: an executor that has ended does not come back.
 *
 * <p>Any thread may call any method.
 */
final class Peer {
    static final Duration PAUSE = Duration.ofSeconds(5);

    private final Supplier<CompletableFuture<Session>> connect;
    private final LongSupplier nanoTime;
    private final Connection[] connections;
    private final AtomicInteger next = new AtomicInteger();

    /** One of the connections, which is replaced after its end. Its lock guards its fields. */
    private static final class Connection {
        private @Nullable CompletableFuture<Session> session;
        private long failedAt;
    }

    /**
     * @param connect starts to connect
     * @param connections the maximum of connections
     */
    Peer(Supplier<CompletableFuture<Session>> connect, int connections, LongSupplier nanoTime) {
        this.connect = connect;
        this.nanoTime = nanoTime;
        this.connections = new Connection[connections];
        for (int i = 0; i < connections; i++) {
            this.connections[i] = new Connection();
        }
    }

    /** Returns the next connection, round-robin. Others may use the future too. */
    CompletableFuture<Session> session() {
        Connection connection = connections[Math.floorMod(next.getAndIncrement(), connections.length)];
        synchronized (connection) {
            CompletableFuture<Session> known = connection.session;
            if (known != null && isUsable(known, connection.failedAt)) {
                return known;
            }
            CompletableFuture<Session> fresh = connect.get();
            connection.session = fresh;
            fresh.whenComplete((session, failure) -> {
                if (failure != null) {
                    synchronized (connection) {
                        connection.failedAt = nanoTime.getAsLong();
                    }
                }
            });
            return fresh;
        }
    }

    private boolean isUsable(CompletableFuture<Session> known, long failedAt) {
        if (!known.isDone()) {
            return true;
        }
        if (known.isCompletedExceptionally()) {
            return nanoTime.getAsLong() - failedAt < PAUSE.toNanos();
        }
        return known.join().isOpen();
    }
}
