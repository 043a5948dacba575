package io.iwarp.testing;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.FutureTask;

/** A thread of the kind that event loops have: one that keeps buffers, and releases them when it ends. */
public final class EventLoopThread {
    private EventLoopThread() {}

    /**
     * Runs on a thread of its own, which has ended when this returns.
     *
     * @throws java.util.concurrent.ExecutionException if it failed; says how
     */
    public static void run(Runnable test) throws Exception {
        FutureTask<Void> task = new FutureTask<>(test, null);
        Thread thread = new FastThreadLocalThread(task);
        thread.start();
        thread.join();
        task.get();
    }
}
