package io.iwarp.ddp;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the time for which the untagged messages of a stream are incomplete (RFC 5044 section 7.1.2 rule 10).
 *
 * <p>The timeout of a message starts at its first segment. Each new byte extends it by the time of one byte at
 * {@link #MIN_BYTES_PER_SECOND}. The time during which the input is stalled is added.
 *
 * <p>Confined to the event loop. One timer serves all messages. It is not cancelled when a message completes, so that
 * the next message needs no new timer.
 */
final class IncompleteMessages {
    /** The minimum rate at which a peer must send a message, beyond the timeout. */
    static final int MIN_BYTES_PER_SECOND = 64 * 1024;

    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Duration timeout;
    private final Consumer<UntaggedBuffer> expired;
    private final List<UntaggedBuffer> messages = new ArrayList<>(1);
    private @Nullable EventExecutor executor;
    private @Nullable ScheduledFuture<?> timer;
    /** The total duration of all pauses that have ended. */
    private long pausedNanos;
    /** The start of the current pause. */
    private long pauseStart;

    private boolean isPaused;

    /** @param expired called with the message whose timeout expired; ends the stream */
    IncompleteMessages(Duration timeout, Consumer<UntaggedBuffer> expired) {
        this.timeout = timeout;
        this.expired = expired;
    }

    Duration timeout() {
        return timeout;
    }

    /** Sets the event loop, before the first message. */
    void start(EventExecutor eventLoop) {
        executor = eventLoop;
    }

    /** The first segment of a message has arrived, and others will follow. */
    void add(UntaggedBuffer message) {
        EventExecutor loop = executor();
        message.startNanos = time(loop);
        messages.add(message);
        if (timer == null) {
            schedule(loop, timeout.toNanos());
        }
    }

    /** A message is complete. */
    void remove(UntaggedBuffer message) {
        messages.remove(message);
    }

    /** Pauses the timeouts, because the input is stalled. May be called again. */
    void pause() {
        if (!isPaused) {
            isPaused = true;
            pauseStart = executor().ticker().nanoTime();
        }
    }

    /** Resumes the timeouts. May be called again. */
    void resume() {
        if (isPaused) {
            isPaused = false;
            pausedNanos += executor().ticker().nanoTime() - pauseStart;
        }
    }

    /** The stream has ended. */
    void stop() {
        messages.clear();
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private EventExecutor executor() {
        if (executor == null) {
            throw new IllegalStateException("the handler is not in a pipeline");
        }
        return executor;
    }

    /** Returns the time of a clock that stops during a pause. */
    private long time(EventExecutor loop) {
        return (isPaused ? pauseStart : loop.ticker().nanoTime()) - pausedNanos;
    }

    private void schedule(EventExecutor loop, long nanos) {
        timer = loop.schedule(this::check, nanos, TimeUnit.NANOSECONDS);
    }

    private void check() {
        timer = null;
        EventExecutor loop = executor();
        long now = time(loop);
        long next = Long.MAX_VALUE;
        for (UntaggedBuffer message : messages) {
            long remaining = timeNeeded(message) - (now - message.startNanos);
            if (remaining <= 0) {
                expired.accept(message);
                return;
            }
            next = Math.min(next, remaining);
        }
        if (!messages.isEmpty()) {
            schedule(loop, next);
        }
    }

    private long timeNeeded(UntaggedBuffer message) {
        long bytes = message.coverage().arrived();
        return timeout.toNanos()
                + bytes / MIN_BYTES_PER_SECOND * NANOS_PER_SECOND
                + bytes % MIN_BYTES_PER_SECOND * NANOS_PER_SECOND / MIN_BYTES_PER_SECOND;
    }
}
