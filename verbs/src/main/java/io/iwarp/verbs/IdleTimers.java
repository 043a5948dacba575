package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.internal.mpa.WirePosition;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
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
    private final WirePosition position;
    private final BooleanSupplier isInputPaused;
    private final Runnable keepAlive;
    private final Consumer<CloseReason> closeGracefully;
    private @Nullable Future<?> idleTimer;
    private @Nullable Future<?> keepAliveTimer;
    private long lastMovedBytes;
    private long lastSentBytes;
    private boolean isStopped;

    /**
     * @param settings times; 0 disables a timer
     * @param counters of the stream
     * @param position how far its transport has come
     * @param isInputPaused returns whether this side does not read, for example as a message waits for a receive
     * @param keepAlive sends a message without effect
     * @param closeGracefully closes the stream gracefully
     */
    IdleTimers(
            QueuePairSettings settings,
            EventLoop eventLoop,
            Counters counters,
            WirePosition position,
            BooleanSupplier isInputPaused,
            Runnable keepAlive,
            Consumer<CloseReason> closeGracefully) {
        this.idleTimeout = settings.idleTimeout();
        this.keepAliveInterval = settings.keepAliveInterval();
        this.eventLoop = eventLoop;
        this.counters = counters;
        this.position = position;
        this.isInputPaused = isInputPaused;
        this.keepAlive = keepAlive;
        this.closeGracefully = closeGracefully;
    }

    void start() {
        if (!isStopped) {
            scheduleIdleCheck();
            scheduleKeepAliveCheck();
        }
    }

    void stop() {
        isStopped = true;
        cancel(idleTimer);
        cancel(keepAliveTimer);
    }

    private static void cancel(@Nullable Future<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    private void scheduleIdleCheck() {
        if (!idleTimeout.isZero()) {
            lastMovedBytes = movedBytes();
            idleTimer = schedule(this::endIfIdle, idleTimeout);
        }
    }

    private void scheduleKeepAliveCheck() {
        if (!keepAliveInterval.isZero()) {
            lastSentBytes = sentBytes();
            keepAliveTimer = schedule(this::keepAliveIfQuiet, keepAliveInterval);
        }
    }

    private Future<?> schedule(Runnable check, Duration delay) {
        return eventLoop.schedule(check, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private long sentBytes() {
        return position.written();
    }

    /** Returns a counter that grows with each byte sent or received and with each delivered message. */
    private long movedBytes() {
        return position.taken() + position.received() + counters.get(Counter.MESSAGES_DELIVERED);
    }

    private void endIfIdle() {
        if (movedBytes() == lastMovedBytes && !isInputPaused.getAsBoolean()) {
            closeGracefully.accept(CloseReason.of(EndedBy.TIMEOUT, "nothing was sent or received for " + idleTimeout));
        } else {
            scheduleIdleCheck();
        }
    }

    /** Only sent bytes count, since only they show the peer that this side is alive. Sending may end the stream. */
    private void keepAliveIfQuiet() {
        try {
            if (sentBytes() == lastSentBytes) {
                keepAlive.run();
            }
        } finally {
            if (!isStopped) {
                scheduleKeepAliveCheck();
            }
        }
    }
}
