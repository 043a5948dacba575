package io.iwarp.internal;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Gives tasks to event loops. An event loop refuses a task when it has shut down, and also while its queue of tasks is
 * full ({@code io.netty.eventLoop.maxPendingTasks}). The latter is temporary.
 */
public final class EventLoopTasks {
    /** The JDK's own timer thread; long enough for an event loop to run some tasks. */
    private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run);

    private EventLoopTasks() {}

    /**
     * Gives a task to an event loop, as often as its queue of tasks is full. Any thread may call it.
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
