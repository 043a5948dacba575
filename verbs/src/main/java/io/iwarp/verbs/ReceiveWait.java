package io.iwarp.verbs;

import io.iwarp.ddp.UntaggedQueue;
import io.netty.channel.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What happens when a message of the peer finds no receive: the end of the stream, or a wait for a receive, which is
 * bounded. During the wait nothing is read from the connection, so that the peer's TCP slows down, with its Sends, Writes,
 * requests and answers alike; other connections of the event loop go on.
 *
 * <p>Confined to the event loop, but for {@link #waiting} and {@link #wake}.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5041#section-7.1">RFC 5041 section 7.1</a>
 */
final class ReceiveWait {
    /** Where receives come from. */
    interface Source extends UntaggedQueue {
        /** Sees to it that {@link ReceiveWait#wake} is called when there is a receive. */
        void prepareToWait();
    }

    private final StreamLife life;
    private final DrainSchedule drains;
    private final EventLoop eventLoop;
    private final long nanos;
    private final Runnable resume;
    private volatile boolean waiting;
    /** The message that comes now has waited long enough. */
    private boolean over;

    private @Nullable Future<?> timer;

    /**
     * @param nanos how long to wait at most; 0 not to wait
     * @param resume has the message passed again
     */
    ReceiveWait(StreamLife life, DrainSchedule drains, EventLoop eventLoop, long nanos, Runnable resume) {
        this.life = life;
        this.drains = drains;
        this.eventLoop = eventLoop;
        this.nanos = nanos;
        this.resume = resume;
    }

    /** Returns whether a message waits; any thread. */
    boolean waiting() {
        return waiting;
    }

    /** Any thread: there may be a receive for a message that waits for one. */
    void wake() {
        if (waiting) {
            drains.wake();
        }
    }

    /**
     * Returns whether the message that has just found no receive is held back.
     *
     * <p>The same message may come again while it waits, since anybody may read from the channel. It keeps its
     * deadline.
     */
    boolean begin(Source receives) {
        if (nanos == 0 || over || life.closeReason() != null) {
            return false;
        }
        if (!waiting) {
            waiting = true;
            timer = eventLoop.schedule(this::expire, nanos, TimeUnit.NANOSECONDS);
        }
        if (offersOrLists(receives)) {
            wake();
        }
        return true;
    }

    /** Goes on if there is a receive now; in a task of its own, as this may be called while input is handled. */
    void check(Source receives) {
        if (waiting && (receives.offers(0) || offersOrLists(receives))) {
            resumeSoon();
        }
    }

    private void resumeSoon() {
        end();
        eventLoop.execute(resume);
    }

    /**
     * Asks to be woken, then looks. Whoever posts a receive publishes it before looking for whom to wake; here it is the
     * other way round, with a full fence in between. So one of the two sees the other.
     */
    private static boolean offersOrLists(Source receives) {
        receives.prepareToWait();
        VarHandle.fullFence();
        return receives.offers(0);
    }

    /** A message has found a receive, maybe the one that waits. Those behind it may wait as long as it could. */
    void passed() {
        over = false;
        if (timer != null) {
            end();
        }
    }

    /** Passes the message again; if there still is no receive, that is the end of the stream. */
    private void expire() {
        end();
        over = true;
        resume.run();
        over = false;
    }

    /** The stream is over: what the peer still sends is read again, and dropped. */
    void stop() {
        if (waiting && eventLoop.inEventLoop()) {
            resumeSoon();
        }
    }

    private void end() {
        waiting = false;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
