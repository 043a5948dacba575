package io.iwarp.ddp;

import io.iwarp.internal.RingQueue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one stream that are not sent yet, in the order of writing. A message first waits, then is current while
 * segments are cut from it, then is handed over until the transport has taken it.
 *
 * <pre>
 *     taken        handed over          waiting, flushed   waiting
 *       │               │ next: current │ flushed          │
 *   ────┴───────────────┴───────────────┴──────────────────┴──►  position
 * </pre>
 */
final class TransmitQueue {
    private final RingQueue<DdpMessage> messages = new RingQueue<>();
    private long next;
    private long flushed;
    private boolean inWork;

    void add(DdpMessage message) {
        messages.add(message);
    }

    /** Everything added so far may be sent. */
    void flush() {
        flushed = messages.end();
    }

    /** Returns whether there is a message to cut a segment from. */
    boolean sendable() {
        return next < flushed;
    }

    /** Returns whether there is no message in any state. */
    boolean empty() {
        return messages.isEmpty();
    }

    /** Makes the next message current. Call it only if {@link #sendable} and no message is current. */
    DdpMessage next() {
        inWork = true;
        return messages.get(next);
    }

    /** Returns the message from which segments are being cut; null if there is none. */
    @Nullable
    DdpMessage inWork() {
        return inWork ? messages.get(next) : null;
    }

    /** The last segment of the current message was cut. */
    void handOver() {
        if (inWork) {
            next++;
            inWork = false;
        }
    }

    /** Returns the oldest message that was handed over, which is removed; null if there is none. */
    @Nullable
    DdpMessage taken() {
        return messages.first() < next ? messages.remove() : null;
    }

    /** Drops the current message and those that wait. */
    void dropUnsent(Throwable cause) {
        drop(next, cause);
    }

    /** Drops all messages except the oldest {@code kept}, which were handed over. */
    void dropAllBut(int kept, Throwable cause) {
        drop(messages.first() + kept, cause);
    }

    private void drop(long from, Throwable cause) {
        // Drop callbacks may write, so the queue is consistent before they run.
        List<DdpMessage> dropped = messages.removeFrom(from);
        next = Math.min(next, from);
        flushed = next;
        inWork = false;
        for (DdpMessage message : dropped) {
            message.drop(cause);
        }
    }
}
