package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.netty.util.concurrent.EventExecutor;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What completes at the end of a queue pair, in two steps: first the stages that the application was given, in that order,
 * with everything it has chained to them, then what this library waits for. Any thread may call any method but
 * {@link #complete}.
 *
 * <p>Each call of {@link #stage} gives a stage of its own. Were they all derived from one future, a thread that asks for
 * another one just then could take over what others have chained, and the second step would not know when that is done.
 */
final class ClosedStages {
    private final Iterable<EventExecutor> loops;
    private final Queue<CompletableFuture<CloseReason>> stages = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> told = new CompletableFuture<>();
    private volatile @Nullable CloseReason reason;

    /** @param loops must not wait for a stage */
    ClosedStages(Iterable<EventExecutor> loops) {
        this.loops = loops;
    }

    /** Returns a new stage; complete already if the end was told before. */
    CompletionStage<CloseReason> stage() {
        CloseReason before = reason;
        if (before != null) {
            return CompletableFuture.completedStage(before);
        }
        CompletableFuture<CloseReason> stage = new LoopFuture<>(loops);
        stages.add(stage);
        CloseReason meanwhile = reason;
        if (meanwhile != null) {
            stage.complete(meanwhile);
        }
        return stage.minimalCompletionStage();
    }

    /** Returns completes on the event loop when every stage given before the end has completed; never fails. */
    CompletionStage<Void> told() {
        return told;
    }

    /** Event loop, once: the queue pair is over. */
    void complete(CloseReason why) {
        reason = why;
        for (CompletableFuture<CloseReason> stage = stages.poll(); stage != null; stage = stages.poll()) {
            stage.complete(why);
        }
        told.complete(null);
    }
}
