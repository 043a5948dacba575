package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
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
    private final StreamLife life;
    private final SendSide sends;
    private final Consumer<CloseReason> closeInOrder;
    private @Nullable Future<?> idleTimer;
    private @Nullable Future<?> keepAliveTimer;
    private long movedAtLastLook;
    private long sentAtLastLook;
    private boolean stopped;

    /**
     * @param settings times; 0 disables a timer
     * @param counters the counters of the stream's traffic
     * @param closeInOrder ends the stream in order
     */
    IdleTimers(
            QueuePairSettings settings,
            EventLoop eventLoop,
            Counters counters,
            StreamLife life,
            SendSide sends,
            Consumer<CloseReason> closeInOrder) {
        this.idleTimeout = settings.idleTimeout();
        this.keepAliveInterval = settings.keepAliveInterval();
        this.eventLoop = eventLoop;
        this.counters = counters;
        this.life = life;
        this.sends = sends;
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
        return counters.get(Counter.ULPDU_BYTES_SENT);
    }

    private long moved() {
        return sent() + counters.get(Counter.ULPDU_BYTES_RECEIVED);
    }

    private void endIfIdle() {
        if (moved() == movedAtLastLook) {
            closeInOrder.accept(
                    new CloseReason(EndedBy.TIMEOUT, null, "nothing was sent or received for " + idleTimeout, null));
        } else {
            watchIdle();
        }
    }

    private void writeIfQuiet() {
        try {
            boolean nothingPosted = sends.ring().uncompleted() == 0;
            if (sent() == sentAtLastLook && life.state() == ConnectionState.READY && nothingPosted) {
                writeNothing();
            }
        } finally {
            watchSending();
        }
    }

    /**
     * Sends a Write of 0 bytes, which refers to no memory, so every peer accepts it (RFC 5040, section 5.1). If the
     * queue is full, the stream is not quiet and nothing is sent.
     */
    private void writeNothing() {
        if (sends.claim(0) instanceof WorkRequest request) {
            request.write(0, 0);
            sends.publish(request.set(0, Operation.WRITE, null));
        }
    }
}
