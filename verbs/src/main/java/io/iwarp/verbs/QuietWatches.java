package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks now and then whether a stream is still in use: ends one that is idle, and keeps one alive that is quiet. It costs
 * two timers at most, and nothing for each message. Belongs to the event loop.
 */
final class QuietWatches {
    private final QueuePairEngine engine;
    private @Nullable Future<?> idleTimer;
    private @Nullable Future<?> keepAliveTimer;
    private long movedAtLastLook;
    private long sentAtLastLook;
    private boolean stopped;

    private QuietWatches(QueuePairEngine engine) {
        this.engine = engine;
    }

    /** {@return what the settings ask for; null if that is nothing} */
    static @Nullable QuietWatches of(QueuePairEngine engine) {
        QueuePairSettings settings = engine.settings();
        return settings.idleTimeout().isZero() && settings.keepAliveInterval().isZero()
                ? null
                : new QuietWatches(engine);
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
        Duration timeout = engine.settings().idleTimeout();
        if (!timeout.isZero()) {
            movedAtLastLook = moved();
            idleTimer = schedule(this::endIfIdle, timeout);
        }
    }

    private void watchSending() {
        Duration interval = engine.settings().keepAliveInterval();
        if (!interval.isZero()) {
            sentAtLastLook = sent();
            keepAliveTimer = schedule(this::writeIfQuiet, interval);
        }
    }

    private Future<?> schedule(Runnable look, Duration delay) {
        return engine.channel().eventLoop().schedule(look, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private long sent() {
        return engine.counters().get(Counter.ULPDU_OCTETS_SENT);
    }

    private long moved() {
        return sent() + engine.counters().get(Counter.ULPDU_OCTETS_RECEIVED);
    }

    private void endIfIdle() {
        if (moved() == movedAtLastLook) {
            engine.closeInOrder(new CloseReason(
                    EndedBy.TIMEOUT,
                    null,
                    "nothing was sent or received for " + engine.settings().idleTimeout(),
                    null));
        } else {
            watchIdle();
        }
    }

    private void writeIfQuiet() {
        try {
            boolean nothingPosted = engine.sendQueue().ring().uncompleted() == 0;
            if (sent() == sentAtLastLook && engine.state() == QueuePairState.READY && nothingPosted) {
                writeNothing();
            }
        } finally {
            watchSending();
        }
    }

    /**
     * A Write of no octets names no memory, so every peer takes it (RFC 5040, section 5.1). If others have filled the queue
     * meanwhile, the stream is not quiet any more.
     */
    private void writeNothing() {
        WorkRequest request = engine.claimSend(0);
        if (request != null) {
            request.write(0, 0);
            engine.publish(request.set(0, Operation.WRITE, null));
        }
    }
}
