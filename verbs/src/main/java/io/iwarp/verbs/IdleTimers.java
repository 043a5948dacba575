package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Enforces idle timeout and keep-alive. Uses at most two timers and has no cost per message. Confined to the event
 * loop.
 */
final class IdleTimers {
    private final Duration idleTimeout;
    private final Duration keepAliveInterval;
    private final EventLoop eventLoop;
    private final Counters counters;
    private final Runnable keepAlive;
    private final Consumer<CloseReason> closeInOrder;
    private @Nullable Future<?> idleTimer;
    private @Nullable Future<?> keepAliveTimer;
    private long movedAtLastLook;
    private long sentAtLastLook;
    private boolean stopped;

    /**
     * @param settings times; 0 disables a timer
     * @param counters the counters of the stream's traffic
     * @param keepAlive sends a message without effect
     * @param closeInOrder ends the stream in order
     */
    IdleTimers(
            QueuePairSettings settings,
            EventLoop eventLoop,
            Counters counters,
            Runnable keepAlive,
            Consumer<CloseReason> closeInOrder) {
        this.idleTimeout = settings.idleTimeout();
        this.keepAliveInterval = settings.keepAliveInterval();
        this.eventLoop = eventLoop;
        this.counters = counters;
        this.keepAlive = keepAlive;
        this.closeInOrder = closeInOrder;
    }

    void start() {
        if (!stopped) {
            watchIdle();
            watchSending();
        }
    }

    void stop() {
        stopped = true;
        cancel(idleTimer);
        cancel(keepAliveTimer);
    }

    private static void cancel(@Nullable Future<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    private void watchIdle() {
        if (!idleTimeout.isZero()) {
            movedAtLastLook = moved();
            idleTimer = schedule(this::endIfIdle, idleTimeout);
        }
    }

    private void watchSending() {
        if (!keepAliveInterval.isZero()) {
            sentAtLastLook = sent();
            keepAliveTimer = schedule(this::writeIfQuiet, keepAliveInterval);
        }
    }

    private Future<?> schedule(Runnable look, Duration delay) {
        return eventLoop.schedule(look, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private long sent() {
        return counters.get(Counter.BYTES_SENT);
    }

    private long moved() {
        return sent() + counters.get(Counter.BYTES_RECEIVED);
    }

    private void endIfIdle() {
        if (moved() == movedAtLastLook) {
            closeInOrder.accept(
                    new CloseReason(EndedBy.TIMEOUT, null, "nothing was sent or received for " + idleTimeout, null));
        } else {
            watchIdle();
        }
    }

    /**
     * What is posted, completed or polled does not matter: only bytes tell the peer that this side is alive. The stream
     * may end while it sends.
     */
    private void writeIfQuiet() {
        try {
            if (sent() == sentAtLastLook) {
                keepAlive.run();
            }
        } finally {
            if (!stopped) {
                watchSending();
            }
        }
    }
}
