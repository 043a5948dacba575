package io.iwarp.tools.cli;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.concurrent.TimeUnit;

/**
 * When the operations of a connection are due. With a rate, each has its time on a schedule that does not depend on
 * earlier operations, and its latency counts from then on: a stall delays all that became due in it, so that the
 * percentiles are correct in spite of it (no coordinated omission). Confined to the event loop.
 */
public final class Pace {
    /** An event loop that sleeps for less wakes up too late. */
    private static final long SPIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final SingleThreadEventLoop loop;
    private final double nanosPerOperation;
    private final Runnable onDue;

    @SuppressWarnings("UnnecessaryLambda") // allocated once
    private final Runnable again = this::onTime;

    /** Comes after the channels had their turn, which a task that adds itself again would keep them from. */
    @SuppressWarnings("UnnecessaryLambda") // allocated once
    private final Runnable spin = this::executeAgain;

    private long restarted = System.nanoTime();
    private long begin;
    private boolean begun;
    private long taken;
    private boolean waiting;

    /**
     * @param rate operations per second; 0 for no schedule
     * @param onDue called when the next operation is due, if {@link #isDue} said that it was not
     */
    Pace(EventLoop loop, double rate, Runnable onDue) {
        this.loop = (SingleThreadEventLoop) loop;
        this.nanosPerOperation = rate == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / rate;
        this.onDue = onDue;
    }

    /** Begins a new schedule with the next operation: what became due before, and was not taken, is dropped. */
    void restart() {
        restarted = System.nanoTime();
        begun = false;
        taken = 0;
    }

    /** Returns whether an operation that was due at this time belongs to the schedule that runs now. */
    boolean isCurrent(long due) {
        return due - restarted >= 0;
    }

    /** Returns whether operations have a schedule. */
    public boolean scheduled() {
        return nanosPerOperation > 0;
    }

    /** Returns when the next operation is due, or was, in the time of {@link System#nanoTime}. */
    public long due() {
        if (!scheduled()) {
            return System.nanoTime();
        }
        if (!begun) {
            begun = true;
            begin = System.nanoTime();
        }
        return begin + (long) (taken * nanosPerOperation);
    }

    /** Returns whether the next operation is due. */
    public boolean isDue() {
        if (!scheduled()) {
            return true;
        }
        long left = due() - System.nanoTime();
        if (left > 0 && !waiting) {
            waiting = true;
            if (left > SPIN_NANOS) {
                loop.schedule(again, left - SPIN_NANOS, TimeUnit.NANOSECONDS);
            } else {
                loop.executeAfterEventLoopIteration(spin);
            }
        }
        return left <= 0;
    }

    private void executeAgain() {
        loop.execute(again);
    }

    private void onTime() {
        waiting = false;
        onDue.run();
    }

    /** The next operation has begun. */
    void take() {
        taken++;
    }
}
