package io.iwarp.verbs;

import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.rdmap.StreamState;
import io.netty.channel.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Holds back the input of a stream while a message waits for a receive, for a limited time, or for memory of the
 * device. Meanwhile nothing is read from the connection, so TCP flow control stops the Sends, Writes, requests and
 * responses of the peer. Other connections of the event loop continue.
 *
 * <p>Confined to the event loop, except for {@link #isStalled} and {@link #wake}.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5041#section-7.1">RFC 5041 section 7.1</a>
 */
final class ReceiveStall {
    /** The source of receives. */
    interface Source extends UntaggedQueue {
        /** Registers for a call of {@link ReceiveStall#wake} when there is a receive. */
        void prepareToWait();

        /** Finds a receive, and keeps it for the next message. Returns whether there is one, with its memory. */
        boolean findReceive();
    }

    private enum State {
        RUNNING,
        /** A message waits. */
        STALLED,
        /** The time of the message has expired. It is retried for the last time. */
        ENDED
    }

    private final StreamState stream;
    private final DrainSchedule drains;
    private final EventLoop eventLoop;
    private final long timeoutNanos;
    private final Runnable resume;
    private final AtomicBoolean isCheckScheduled = new AtomicBoolean();
    private final Runnable check = this::check;
    /** Written by the event loop. */
    private volatile State state = State.RUNNING;
    /** Where the current message waits. */
    private @Nullable Source waitingSource;

    private @Nullable Future<?> timer;

    /**
     * @param timeoutNanos the maximum time of a wait for a receive; 0 for none
     * @param resume retries the message
     */
    ReceiveStall(StreamState stream, DrainSchedule drains, EventLoop eventLoop, long timeoutNanos, Runnable resume) {
        this.stream = stream;
        this.drains = drains;
        this.eventLoop = eventLoop;
        this.timeoutNanos = timeoutNanos;
        this.resume = resume;
    }

    /** Any thread: returns whether a message waits. */
    boolean isStalled() {
        return state == State.STALLED;
    }

    /** Any thread: reports that a message that waits may continue. */
    void wake() {
        if (isStalled() && !isCheckScheduled.getAndSet(true)) {
            drains.execute(check);
        }
    }

    /**
     * A message has found no receive. Returns whether the input stalls until there is one.
     *
     * <p>The same message may be retried while it waits, since any handler may read from the channel. It keeps its
     * deadline.
     */
    boolean awaitReceive(Source receives) {
        return timeoutNanos > 0 && begin(receives, true);
    }

    /**
     * A message has a receive, but no memory. Returns whether the input stalls until there is some. The timeout of the
     * message bounds the stall.
     */
    boolean awaitMemory(Source receives) {
        return begin(receives, false);
    }

    private boolean begin(Source receives, boolean isTimed) {
        if (state == State.ENDED || stream.closeReason() != null) {
            return false;
        }
        if (state == State.RUNNING) {
            state = State.STALLED;
            waitingSource = receives;
            timer = isTimed ? eventLoop.schedule(this::expire, timeoutNanos, TimeUnit.NANOSECONDS) : null;
        }
        if (findOrEnqueue(receives)) {
            wake();
        }
        return true;
    }

    /** Resumes if what the message waits for is available. */
    private void check() {
        isCheckScheduled.getAndSet(false);
        Source receives = waitingSource;
        if (isStalled() && receives != null && (receives.findReceive() || findOrEnqueue(receives))) {
            end(State.RUNNING);
            resume.run();
        }
    }

    /**
     * Registers for a wake-up, then looks for a receive. The poster publishes a receive, then looks for streams to
     * wake. Each side has a full fence between its store and its load (store-load fence), so at least one sees the
     * other. A {@link ReceivePool} decides under its lock which stream gets a receive, an {@code InputBudget} which
     * gets memory.
     */
    private static boolean findOrEnqueue(Source receives) {
        receives.prepareToWait();
        VarHandle.fullFence();
        return receives.findReceive();
    }

    /** A message has found a receive. Later messages get the full time. */
    void onReceiveFound() {
        end(State.RUNNING);
    }

    /** Retries the message. If there is still no receive, the stream ends. */
    private void expire() {
        end(State.ENDED);
        resume.run();
        if (state == State.ENDED) {
            state = State.RUNNING;
        }
    }

    /** Stops the stall at the end of the stream. Further input is read and discarded. */
    void stop() {
        if (isStalled() && eventLoop.inEventLoop()) {
            end(State.RUNNING);
            drains.execute(resume);
        }
    }

    private void end(State next) {
        state = next;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
