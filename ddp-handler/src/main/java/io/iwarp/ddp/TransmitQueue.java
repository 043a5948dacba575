package io.iwarp.ddp;

import io.iwarp.internal.RecurringQueue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one stream that are not sent yet, in the order of writing. A message is first waiting, then in work
 * while segments are cut from it, then handed over until the transport has taken it.
 *
 * <pre>
 *     taken        handed over          waiting, may go    waiting
 *       │               │ next: in work │ flushed          │
 *   ────┴───────────────┴───────────────┴──────────────────┴──►  position
 * </pre>
 */
final class TransmitQueue {
    private final RecurringQueue<DdpMessage> messages = new RecurringQueue<>();
    private long next;
    private long flushed;
    private boolean inWork;

    void add(DdpMessage message) {
        messages.add(message);
    }

    /** Everything added so far may go. */
    void flush() {
        flushed = messages.end();
    }

    /** {@return whether there is a message to cut a segment from} */
    boolean sendable() {
        return next < flushed;
    }

    /** {@return whether no message is left in any state} */
    boolean empty() {
        return messages.isEmpty();
    }

    /** Puts the next message in work; only when {@link #sendable} and none is. */
    DdpMessage next() {
        inWork = true;
        return messages.get(next);
    }

    /** {@return the message from which segments are being cut; null if there is none} */
    @Nullable
    DdpMessage inWork() {
        return inWork ? messages.get(next) : null;
    }

    /** The last segment of the message in work was cut. */
    void handOver() {
        if (inWork) {
            messages.get(next).handOver();
            next++;
            inWork = false;
        }
    }

    /** {@return the oldest message that was handed over, which the transport has taken; null if there is none} */
    @Nullable
    DdpMessage taken() {
        return messages.first() < next ? messages.remove() : null;
    }

    /** Drops what is waiting or in work. */
    void dropUnsent(Throwable cause) {
        drop(next, cause);
    }

    /** Drops everything but the oldest {@code kept} messages, which were handed over. */
    void dropAllBut(int kept, Throwable cause) {
        drop(messages.first() + kept, cause);
    }

    private void drop(long from, Throwable cause) {
        // Whoever is told may write again, which finds the queue in order.
        List<DdpMessage> dropped = messages.removeFrom(from);
        next = Math.min(next, from);
        flushed = next;
        inWork = false;
        for (DdpMessage message : dropped) {
            message.drop(cause);
        }
    }
}
