package io.iwarp.internal;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Submits tasks to event loops. An event loop rejects a task when it has shut down, and also while its task queue is
 * full ({@code io.netty.eventLoop.maxPendingTasks}). The latter is temporary.
 */
public final class EventLoopTasks {
    /** The reason for a stream whose event loop was shut down. */
    public static final CloseReason SHUT_DOWN =
            CloseReason.of(EndedBy.LOCAL_APPLICATION, "the event loop of the connection was shut down");

    /** The delay of a retry, on the timer thread of the JDK: long enough for an event loop to run some tasks. */
    private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run);

    private EventLoopTasks() {}

    /**
     * Submits a task to an event loop, retrying while its task queue is full. Any thread may call it.
     *
     * @param ifShutDown runs instead if the loop has shut down and will not run the task; on this thread or a later one
     */
    public static void execute(EventExecutor loop, Runnable task, Runnable ifShutDown) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException refused) {
            if (loop.isShuttingDown()) {
                ifShutDown.run();
            } else {
                retryLater(() -> execute(loop, task, ifShutDown));
            }
        }
    }

    /** Retries, later and on another thread, to submit a task to a loop whose queue was full. */
    public static void retryLater(Runnable again) {
        LATER.execute(again);
    }
}
