package io.iwarp.verbs;

import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Says when the event loop takes what was posted: at most one wake-up is on its way at a time, and none is needed while the
 * loop handles a burst of input, at whose end it looks by itself.
 */
final class DrainSchedule {
    /**
     * An event loop runs tasks for as long as others follow, up to a second, before it looks at its sockets again. A steady
     * flow of posts would keep it from reading; after this many drains in a row the next one waits behind such a look.
     */
    private static final int DRAINS_BEFORE_POLL = 16;

    private final EventLoop eventLoop;
    private final Runnable drain;
    private final Consumer<RejectedExecutionException> whenLoopIsGone;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Runnable drainOrYield = this::drainOrYield;
    private final Runnable drainAfterPoll = this::drainAfterPoll;
    private boolean inBurst;
    private int drainsBeforePoll;

    /**
     * @param drain takes everything that was posted before it is called; on the event loop
     * @param whenLoopIsGone called by whoever posts after the event loop has shut down; what it throws goes to the poster
     */
    DrainSchedule(EventLoop eventLoop, Runnable drain, Consumer<RejectedExecutionException> whenLoopIsGone) {
        this.eventLoop = eventLoop;
        this.drain = drain;
        this.whenLoopIsGone = whenLoopIsGone;
    }

    /** Any thread: something was posted. */
    void wake() {
        // A drain that is still to come in this thread sees the post.
        if (eventLoop.inEventLoop() && (inBurst || scheduled.getPlain())) {
            return;
        }
        if (scheduled.compareAndSet(false, true)) {
            try {
                eventLoop.execute(drainOrYield);
            } catch (RejectedExecutionException loopIsGone) {
                scheduled.set(false);
                whenLoopIsGone.accept(loopIsGone);
            }
        }
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

    private void drainOrYield() {
        if (drainsBeforePoll < DRAINS_BEFORE_POLL) {
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
