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
 * Handles a message of the peer that finds no receive: ends the stream, or waits a limited time for a receive. During
 * the wait nothing is read from the connection, so TCP flow control stops the peer's Sends, Writes, requests and
 * answers. Other connections of the event loop continue.
 *
 * <p>Confined to the event loop, except for {@link #stalled} and {@link #wake}.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5041#section-7.1">RFC 5041 section 7.1</a>
 */
final class ReceiveStall {
    /** The source of receives. */
    interface Source extends UntaggedQueue {
        /** Registers for a call of {@link ReceiveStall#wake} when there is a receive. */
        void prepareToWait();

        /** Looks for a receive, and keeps it for the next message. Returns whether there is one. */
        boolean findReceive();
    }

    private final StreamState state;
    private final DrainSchedule drains;
    private final EventLoop eventLoop;
    private final long nanos;
    private final Runnable resume;
    private final AtomicBoolean checkScheduled = new AtomicBoolean();
    private final Runnable check = this::check;
    private volatile boolean stalled;
    /** Where the current message waits for a receive. */
    private @Nullable Source source;
    /** Whether the time of the current message has expired. */
    private boolean over;

    private @Nullable Future<?> timer;

    /**
     * @param nanos the maximum time of a stall; 0 for none
     * @param resume retries the message
     */
    ReceiveStall(StreamState state, DrainSchedule drains, EventLoop eventLoop, long nanos, Runnable resume) {
        this.state = state;
        this.drains = drains;
        this.eventLoop = eventLoop;
        this.nanos = nanos;
        this.resume = resume;
    }

    /** Any thread: returns whether a message waits. */
    boolean stalled() {
        return stalled;
    }

    /** Any thread: reports that a receive may be available for a message that waits. */
    void wake() {
        if (stalled && !checkScheduled.getAndSet(true)) {
            drains.execute(check);
        }
    }

    /**
     * A message has found no receive. Returns whether the input stalls until there is one.
     *
     * <p>The same message may be retried while it waits, since any handler may read from the channel. It keeps its
     * deadline.
     */
    boolean begin(Source receives) {
        if (nanos == 0 || over || state.closeReason() != null) {
            return false;
        }
        if (!stalled) {
            stalled = true;
            source = receives;
            timer = eventLoop.schedule(this::expire, nanos, TimeUnit.NANOSECONDS);
        }
        if (findsOrLists(receives)) {
            wake();
        }
        return true;
    }

    /** Resumes if a receive is available. */
    private void check() {
        checkScheduled.getAndSet(false);
        Source receives = source;
        if (stalled && receives != null && (receives.findReceive() || findsOrLists(receives))) {
            end();
            resume.run();
        }
    }

    /**
     * Registers for a wake-up, then looks for a receive. The poster of a receive publishes it, then looks for streams
     * to wake. A full fence separates the two steps, so at least one side sees the other. A {@link ReceivePool} decides
     * under its lock who gets a receive.
     */
    private static boolean findsOrLists(Source receives) {
        receives.prepareToWait();
        VarHandle.fullFence();
        return receives.findReceive();
    }

    /** Ends the stall, since a message has found a receive. Later messages get the full time. */
    void passed() {
        over = false;
        if (timer != null) {
            end();
        }
    }

    /** Retries the message. If there is still no receive, the stream ends. */
    private void expire() {
        end();
        over = true;
        resume.run();
        over = false;
    }

    /** Stops stalled at the end of the stream. Further input is read and dropped. */
    void stop() {
        if (stalled && eventLoop.inEventLoop()) {
            end();
            drains.execute(resume);
        }
    }

    private void end() {
        stalled = false;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
