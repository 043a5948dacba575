package io.iwarp.spark;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads for calls of Spark that block: event loops must not block. The calls to one peer have at most
 * {@link #THREADS_PER_PEER} threads, so a peer that does not respond delays no call to another.
 *
 * <p>Any thread may call any method.
 */
final class Workers {
    static final int THREADS_PER_PEER = 4;

    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new DefaultThreadFactory("iwarp-shuffle-worker", true));

    /** The peers with calls that run or wait. Guarded by this. */
    private final Map<String, Lane> lanes = new HashMap<>();

    private boolean closed;

    /** A call that may fail. */
    interface Call {
        void run() throws Exception;
    }

    /** The calls to one peer. */
    private static final class Lane {
        private final ArrayDeque<Task> waiting = new ArrayDeque<>();
        private int running;
    }

    private record Task(Call call, Consumer<Throwable> onFailure) {
        void run() {
            try {
                call.run();
            } catch (Throwable e) {
                onFailure.accept(e);
            }
        }
    }

    /** Runs a call to a peer on a thread that may block, or reports the failure. */
    void run(String peer, Call call, Consumer<Throwable> onFailure) {
        Task task = new Task(call, onFailure);
        boolean refused;
        boolean starts = false;
        synchronized (this) {
            refused = closed;
            if (!refused) {
                Lane lane = lanes.computeIfAbsent(peer, id -> new Lane());
                starts = lane.running < THREADS_PER_PEER;
                if (starts) {
                    lane.running++;
                } else {
                    lane.waiting.add(task);
                }
            }
        }
        if (refused) {
            onFailure.accept(new RejectedExecutionException("the executor has ended"));
        } else if (starts) {
            start(peer, task);
        }
    }

    private void start(String peer, Task first) {
        try {
            threads.execute(() -> {
                for (Task task = first; task != null; task = next(peer)) {
                    task.run();
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            for (Task task = first; task != null; task = next(peer)) {
                task.onFailure.accept(noThread);
            }
        }
    }

    /** Returns the next call of a thread that has ended a call to a peer, or null. */
    private synchronized @Nullable Task next(String peer) {
        Lane lane = Objects.requireNonNull(lanes.get(peer), "a thread of this lane runs");
        Task next = lane.waiting.poll();
        if (next == null) {
            lane.running--;
            if (lane.running == 0) {
                lanes.remove(peer);
            }
        }
        return next;
    }

    /** Rejects further calls. Those that wait still run. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        threads.shutdown();
    }
}
