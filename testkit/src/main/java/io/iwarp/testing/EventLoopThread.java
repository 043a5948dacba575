package io.iwarp.testing;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.FutureTask;

/** A thread like that of an event loop: it keeps thread-local buffers and releases them when it ends. */
public final class EventLoopThread {
    private EventLoopThread() {}

    /**
     * Runs a test on a new thread, and waits until the thread has ended.
     *
     * @throws java.util.concurrent.ExecutionException if the test failed; its cause is the failure
     */
    public static void run(Runnable test) throws Exception {
        FutureTask<Void> task = new FutureTask<>(test, null);
        Thread thread = new FastThreadLocalThread(task);
        thread.start();
        thread.join();
        task.get();
    }
}
