package io.iwarp.internal;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Gives tasks to event loops. An event loop refuses a task when it has shut down, and also while its queue of tasks is
 * full ({@code io.netty.eventLoop.maxPendingTasks}). The second passes.
 */
public final class LoopTasks {
    /** The JDK's own timer thread; long enough for an event loop to run some tasks. */
    private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run);

    private LoopTasks() {}

    /**
     * Gives a task to an event loop. Any thread may call it.
     *
     * @param again gives the task once more; called later, on another thread, if the queue of the loop is full
     * @return false if the loop has shut down and will not run the task
     */
    public static boolean execute(EventExecutor loop, Runnable task, Runnable again) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException refused) {
            if (loop.isShuttingDown()) {
                return false;
            }
            LATER.execute(again);
        }
        return true;
    }
}
