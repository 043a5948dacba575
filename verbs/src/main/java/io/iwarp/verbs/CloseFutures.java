package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.netty.util.concurrent.EventExecutor;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The futures that complete at the end of a queue pair, in two steps: first the application's futures, in the order of
 * their creation, with all dependent actions; then the future on which the shutdown of this library depends. Any thread
 * may call any method except {@link #complete}.
 *
 * <p>Each call of {@link #newFuture} creates a separate future. If all were derived from one future, a thread that
 * creates another one during completion could run the dependent actions of others, and the second step could start
 * before they are done.
 */
final class CloseFutures {
    private final Iterable<EventExecutor> loops;
    private final Queue<CompletableFuture<CloseReason>> futures = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> reportedFuture = new CompletableFuture<>();
    private volatile @Nullable CloseReason reason;

    /** @param loops the event loops that must not wait for a future */
    CloseFutures(Iterable<EventExecutor> loops) {
        this.loops = loops;
    }

    /** Returns a new future, which is complete if the end was reported before. */
    CompletableFuture<CloseReason> newFuture() {
        CloseReason currentReason = reason;
        if (currentReason != null) {
            return CompletableFuture.completedFuture(currentReason);
        }
        CompletableFuture<CloseReason> future = new LoopFuture<>(loops);
        futures.add(future);
        currentReason = reason;
        if (currentReason != null) {
            future.complete(currentReason);
        }
        return future;
    }

    /**
     * Returns a future that completes on the event loop when every future created before the end has completed. It
     * never fails.
     */
    CompletableFuture<Void> reported() {
        return reportedFuture;
    }

    /** Event loop, once: completes all futures. */
    void complete(CloseReason closeReason) {
        reason = closeReason;
        for (CompletableFuture<CloseReason> future = futures.poll(); future != null; future = futures.poll()) {
            future.complete(closeReason);
        }
        reportedFuture.complete(null);
    }
}
