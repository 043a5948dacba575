package io.iwarp.spark;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A few threads for calls of Spark that block: event loops must not. */
final class Workers {
    private static final int THREADS = 8;
    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads;

    /** A call that may fail. */
    interface Call {
        void run() throws Exception;
    }

    Workers() {
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("iwarp-shuffle-worker", true));
        threads.allowCoreThreadTimeOut(true);
    }

    /** Runs the call on a thread of its own, or tells of the failure. */
    void run(Call call, Consumer<Throwable> onFailure) {
        try {
            threads.execute(() -> {
                try {
                    call.run();
                } catch (Exception | LinkageError e) {
                    onFailure.accept(e);
                }
            });
        } catch (RejectedExecutionException ended) {
            onFailure.accept(ended);
        }
    }

    void close() {
        threads.shutdown();
    }
}
