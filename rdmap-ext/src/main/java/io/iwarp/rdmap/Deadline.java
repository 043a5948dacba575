package io.iwarp.rdmap;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The time that one wait of a stream may take without progress. It starts with the wait. Progress restarts the full
 * timeout at the next check, so a wait without progress ends after at least the timeout and less than twice the
 * timeout. A {@linkplain #pause pause} stops the clock; afterwards the rest of the time runs.
 *
 * <p>Confined to the event loop. The timer stays armed when a wait ends. When it fires, it is armed again for the
 * current wait, if there is one.
 */
final class Deadline {
    /** A wait that the deadline bounds. */
    interface Wait {
        /** Returns whether the wait continues. */
        boolean isPending();

        /** Returns whether the wait has made progress since a moment. */
        boolean hasProgressedSince(Progress moment);

        /** Ends the wait: it has made no progress for the whole time. */
        void onExpired();
    }

    private final Duration timeout;
    private final Supplier<EventExecutor> executor;
    private final Supplier<Progress> progress;
    private final Wait wait;
    private final Runnable check = this::check;
    private @Nullable ScheduledFuture<?> timer;
    private Progress start = Progress.NONE;
    private boolean isArmed;
    private boolean isPaused;
    /** While paused: the rest of the time, in nanoseconds. */
    private long remainingNanos;

    /**
     * @param executor returns the event loop; called when a clock starts
     * @param progress returns how far the stream has come
     */
    Deadline(Duration timeout, Supplier<EventExecutor> executor, Supplier<Progress> progress, Wait wait) {
        this.timeout = timeout;
        this.executor = executor;
        this.progress = progress;
        this.wait = wait;
    }

    /** Starts the clock unless it runs already. */
    void arm() {
        if (!isArmed) {
            restart();
        }
    }

    /** Starts the clock with the full timeout. */
    void restart() {
        cancel();
        isArmed = true;
        start = progress.get();
        run(timeout.toNanos());
    }

    private void run(long nanos) {
        if (isPaused) {
            remainingNanos = nanos;
        } else {
            timer = executor.get().schedule(check, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Stops the clock while the awaited event cannot happen. */
    void pause() {
        if (!isPaused) {
            isPaused = true;
            if (timer != null) {
                remainingNanos = Math.max(0, timer.getDelay(TimeUnit.NANOSECONDS));
                stop();
            }
        }
    }

    /** Continues the clock with the remaining time. */
    void resume() {
        if (isPaused) {
            isPaused = false;
            if (isArmed) {
                run(remainingNanos);
            }
        }
    }

    void cancel() {
        isArmed = false;
        stop();
    }

    private void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void check() {
        timer = null;
        isArmed = false;
        if (!wait.isPending()) {
            return;
        }
        if (wait.hasProgressedSince(start)) {
            restart();
        } else {
            wait.onExpired();
        }
    }
}
