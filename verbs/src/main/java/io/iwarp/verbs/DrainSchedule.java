package io.iwarp.verbs;

import io.iwarp.internal.EventLoopTasks;
import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Schedules the event loop to take posted requests. At most one wake-up is pending at a time. None is needed while the
 * loop handles a burst of input, since it drains at the end of the burst.
 *
 * <p><b>No wake-up is missed.</b> The poster publishes the request, then swaps {@link #scheduled} to true. The drain of
 * a wake-up swaps it to false, then looks for requests. Both swaps are read-modify-writes in one total order. If the
 * poster's comes first, the drain reads its value and so sees the request. If the drain's comes first, the poster finds
 * false and schedules another drain. A compare-and-set by the poster is not sufficient: if it fails it writes nothing,
 * and on a weakly ordered processor the drain may miss the request.
 *
 * <p><b>The end of the event loop.</b> A loop that shuts down may accept a task and never run it, and it still runs
 * tasks while it rejects others. Later posts are drained at the termination of the loop: a termination listener runs on
 * one other thread, after the loop's own thread has stopped.
 */
final class DrainSchedule {
    /**
     * The number of drains in a row after which the next one waits for the event loop to poll its sockets. An event
     * loop runs queued tasks for up to a second before it polls again, so a steady flow of posts would delay reading.
     */
    private static final int DRAINS_BEFORE_POLL = 16;

    /**
     * The bytes sent in a row after which the next drain waits likewise: as many as a poll reads. With a larger number,
     * a side that sends and receives at full rate would read less than it sends, and its full receive window would stop
     * the peer.
     */
    private static final long BYTES_BEFORE_POLL = 256 * 1024;

    private final EventLoop eventLoop;
    private final Runnable drain;
    private final Runnable drainAfterLoop;
    private final LongSupplier bytesSent;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicBoolean awaitsTermination = new AtomicBoolean();
    private final Runnable drainOrYield = this::drainOrYield;
    private final Runnable drainAfterPoll = this::drainAfterPoll;
    private boolean isInBurst;
    private boolean isEnded;
    private int drainsBeforePoll;
    private long sentBeforePoll;

    /**
     * @param drain takes everything posted before the call; runs on the event loop
     * @param drainAfterLoop takes requests posted too late for the event loop; runs on one other thread, after the loop
     *     has terminated
     * @param bytesSent counts the bytes that drains sent
     */
    DrainSchedule(EventLoop eventLoop, Runnable drain, Runnable drainAfterLoop, LongSupplier bytesSent) {
        this.eventLoop = eventLoop;
        this.drain = drain;
        this.drainAfterLoop = drainAfterLoop;
        this.bytesSent = bytesSent;
    }

    /** Any thread: schedules a drain after a post. */
    void wake() {
        // A later drain on this thread sees the post.
        if (eventLoop.inEventLoop() && (isInBurst || scheduled.getPlain())) {
            return;
        }
        if (!scheduled.getAndSet(true)) {
            execute(drainOrYield);
        }
    }

    /**
     * Any thread: runs a task on the event loop, later if its queue of tasks is full. If the loop has shut down, the
     * last drain runs instead.
     */
    void execute(Runnable task) {
        try {
            offer(task);
        } catch (Throwable failure) {
            // The next wake-up tries again.
            scheduled.set(false);
            throw failure;
        }
        if (eventLoop.isShuttingDown()) {
            drainAtTermination();
        }
    }

    private void offer(Runnable task) {
        try {
            eventLoop.execute(task);
        } catch (RejectedExecutionException refused) {
            // Either its queue of tasks is full, or it has shut down, which the caller looks for.
            if (!eventLoop.isShuttingDown()) {
                EventLoopTasks.retryLater(() -> execute(task));
            }
        }
    }

    /** A single listener suffices until it is called. */
    private void drainAtTermination() {
        if (!awaitsTermination.compareAndSet(false, true)
                && !eventLoop.terminationFuture().isDone()) {
            return;
        }
        eventLoop.terminationFuture().addListener(terminated -> {
            scheduled.getAndSet(false);
            drainAfterLoop.run();
        });
    }

    /** Event loop: posts need no wake-up until {@link #endBurst}. */
    void beginBurst() {
        isInBurst = true;
    }

    /** Event loop: ends the burst and takes the requests posted during it. */
    void endBurst() {
        isInBurst = false;
        onPolled();
        drain();
    }

    /**
     * Event loop: takes the posted requests. A pending wake-up stays pending: if this cleared {@link #scheduled}, the
     * next post would add a second one, and both would be added again for as long as completions post.
     */
    void drain() {
        drain.run();
    }

    /**
     * Event loop: takes the posted requests at the end of the stream. Later drains are not deferred, since a loop that
     * shuts down discards deferred drains.
     */
    void end() {
        isEnded = true;
        isInBurst = false;
        drainAtWakeUp();
    }

    private void drainOrYield() {
        boolean few =
                drainsBeforePoll < DRAINS_BEFORE_POLL && bytesSent.getAsLong() - sentBeforePoll < BYTES_BEFORE_POLL;
        if (few || isEnded) {
            drainsBeforePoll++;
            drainAtWakeUp();
        } else {
            eventLoop.schedule(drainAfterPoll, 0, TimeUnit.NANOSECONDS);
        }
    }

    private void drainAfterPoll() {
        onPolled();
        drainAtWakeUp();
    }

    private void onPolled() {
        drainsBeforePoll = 0;
        sentBeforePoll = bytesSent.getAsLong();
    }

    private void drainAtWakeUp() {
        scheduled.getAndSet(false);
        drain.run();
    }
}
