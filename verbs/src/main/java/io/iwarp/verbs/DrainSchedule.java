package io.iwarp.verbs;

import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says when the event loop takes what was posted: at most one wake-up is on its way at a time, and none is needed while the
 * loop handles a burst of input, at whose end it looks by itself.
 *
 * <p><b>No wake-up is missed.</b> Whoever posts publishes the request, then swaps {@link #scheduled} to true; the drain
 * swaps it to false, then looks for requests. Both are read-modify-writes, which have one order. If the poster's comes
 * first, the drain reads what it wrote and so sees the request; if the drain's comes first, the poster finds false and
 * schedules another drain. A compare-and-set would not do for the poster: one that fails writes nothing, and on a weakly
 * ordered processor the drain may then miss the request.
 *
 * <p><b>The end of the event loop.</b> A loop that shuts down may accept a task and never run it, and it still runs tasks
 * while it rejects others. Whoever posts then leaves the drain to the termination of the loop: a listener of it runs on
 * one other thread, when the loop's own thread does nothing any more.
 */
final class DrainSchedule {
    /**
     * An event loop runs tasks for as long as others follow, up to a second, before it looks at its sockets again. A steady
     * flow of posts would keep it from reading; after this many drains in a row the next one waits behind such a look.
     */
    private static final int DRAINS_BEFORE_POLL = 16;

    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private final EventLoop eventLoop;
    private final Runnable drain;
    private final Runnable drainAfterLoop;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicBoolean awaitsTermination = new AtomicBoolean();
    private final Runnable drainOrYield = this::drainOrYield;
    private final Runnable drainAfterPoll = this::drainAfterPoll;
    private boolean inBurst;
    private boolean ended;
    private int drainsBeforePoll;

    /**
     * @param drain takes everything that was posted before it is called; on the event loop
     * @param drainAfterLoop does the same for what was posted too late for the event loop; on one other thread, after the
     *     loop has terminated
     */
    DrainSchedule(EventLoop eventLoop, Runnable drain, Runnable drainAfterLoop) {
        this.eventLoop = eventLoop;
        this.drain = drain;
        this.drainAfterLoop = drainAfterLoop;
    }

    /** Any thread: something was posted. */
    void wake() {
        // A drain that is still to come in this thread sees the post.
        if (eventLoop.inEventLoop() && (inBurst || scheduled.getPlain())) {
            return;
        }
        if (!scheduled.getAndSet(true)) {
            execute(drainOrYield);
        }
    }

    /** Any thread: runs a task on the event loop; if that has shut down, the last drain follows instead. */
    void execute(Runnable task) {
        try {
            eventLoop.execute(task);
        } catch (RejectedExecutionException loopIsGone) {
            LOGGER.debug("the event loop has shut down, and with it the queue pairs on it", loopIsGone);
            drainAtTermination();
            return;
        } catch (Error noMemory) {
            // The next one who wakes tries again.
            scheduled.set(false);
            throw noMemory;
        }
        if (eventLoop.isShuttingDown() && awaitsTermination.compareAndSet(false, true)) {
            drainAtTermination();
        }
    }

    private void drainAtTermination() {
        eventLoop.terminationFuture().addListener(terminated -> {
            scheduled.getAndSet(false);
            drainAfterLoop.run();
        });
    }

    /** Event loop: posts need no wake-up until {@link #endBurst}. */
    void beginBurst() {
        inBurst = true;
    }

    /** Event loop: takes what was posted meanwhile. */
    void endBurst() {
        inBurst = false;
        drainAfterPoll();
    }

    /** Event loop: takes what was posted. */
    void drain() {
        scheduled.getAndSet(false);
        drain.run();
    }

    /**
     * Event loop: the stream is over; takes what was posted. From now on no drain is put off, since a loop that shuts down
     * drops what is put off.
     */
    void end() {
        ended = true;
        inBurst = false;
        drain();
    }

    private void drainOrYield() {
        if (drainsBeforePoll < DRAINS_BEFORE_POLL || ended) {
            drainsBeforePoll++;
            drain();
        } else {
            eventLoop.schedule(drainAfterPoll, 0, TimeUnit.NANOSECONDS);
        }
    }

    private void drainAfterPoll() {
        drainsBeforePoll = 0;
        drain();
    }
}
