package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.netty.util.concurrent.EventExecutor;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The stages that complete at the end of a queue pair, in two steps: first the application's stages, in the order of
 * their creation, with all dependent actions; then the stage that this library waits for. Any thread may call any
 * method except {@link #complete}.
 *
 * <p>Each call of {@link #stage} creates a separate stage. If all stages were derived from one future, a thread that
 * creates another stage during completion could run the dependent actions of others, and the second step would not know
 * when they are done.
 */
final class ClosedStages {
    private final Iterable<EventExecutor> loops;
    private final Queue<CompletableFuture<CloseReason>> stages = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> told = new CompletableFuture<>();
    private volatile @Nullable CloseReason reason;

    /** @param loops the event loops that must not wait for a stage */
    ClosedStages(Iterable<EventExecutor> loops) {
        this.loops = loops;
    }

    /** Returns a new stage, which is complete if the end was reported before. */
    CompletableFuture<CloseReason> stage() {
        CloseReason before = reason;
        if (before != null) {
            return CompletableFuture.completedFuture(before);
        }
        CompletableFuture<CloseReason> stage = new LoopFuture<>(loops);
        stages.add(stage);
        CloseReason meanwhile = reason;
        if (meanwhile != null) {
            stage.complete(meanwhile);
        }
        return stage;
    }

    /**
     * Returns a stage that completes on the event loop when every stage created before the end has completed. It never
     * fails.
     */
    CompletionStage<Void> told() {
        return told;
    }

    /** Event loop, once: completes all stages. */
    void complete(CloseReason why) {
        reason = why;
        for (CompletableFuture<CloseReason> stage = stages.poll(); stage != null; stage = stages.poll()) {
            stage.complete(why);
        }
        told.complete(null);
    }
}
