package io.iwarp.mpa;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The time that the peer has to complete an FPDU. One timer serves all FPDUs that follow each other closely: when it expires,
 * it is set again for the FPDU that is incomplete then.
 */
final class FpduTimer {
    private final Duration timeout;
    private final Consumer<FpduTimer> onTimeout;
    private @Nullable Future<?> timer;
    private long position;

    /**
     * A timer that does not run.
     *
     * @param timeout zero for no limit
     * @param onTimeout runs when the time is over
     */
    FpduTimer(Duration timeout, Consumer<FpduTimer> onTimeout) {
        this.timeout = timeout;
        this.onTimeout = onTimeout;
    }

    boolean running() {
        return timer != null;
    }

    /**
     * Starts the timer, unless there is no limit.
     *
     * @param newPosition start of the incomplete FPDU
     */
    void start(EventExecutor executor, long newPosition) {
        long nanos = timeout.toNanos();
        if (nanos > 0) {
            position = newPosition;
            timer = executor.schedule(this::expire, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void expire() {
        timer = null;
        onTimeout.accept(this);
    }

    /** Returns the start of the FPDU that was incomplete when the timer was started. */
    long position() {
        return position;
    }

    Duration timeout() {
        return timeout;
    }

    void cancel() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
