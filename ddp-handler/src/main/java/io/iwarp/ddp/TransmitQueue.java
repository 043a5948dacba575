package io.iwarp.ddp;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one stream that are not sent yet, in the order of writing. A message is first waiting, then in work
 * while segments are cut from it, then handed over until the transport has taken it.
 */
final class TransmitQueue {
    private final ArrayDeque<DdpMessage> waiting = new ArrayDeque<>();
    private final ArrayDeque<DdpMessage> handedOver = new ArrayDeque<>();
    private @Nullable DdpMessage inWork;
    /** How many of the waiting messages may go. */
    private int flushed;

    void add(DdpMessage message) {
        waiting.add(message);
    }

    /** Everything added so far may go. */
    void flush() {
        flushed = waiting.size();
    }

    /** {@return whether there is a message to cut a segment from} */
    boolean sendable() {
        return inWork != null || flushed > 0;
    }

    /** {@return whether no message is left in any state} */
    boolean empty() {
        return inWork == null && waiting.isEmpty() && handedOver.isEmpty();
    }

    /** Puts the next message in work; only when {@link #sendable} and none is. */
    DdpMessage next() {
        DdpMessage message = waiting.remove();
        flushed--;
        inWork = message;
        return message;
    }

    /** {@return the message from which segments are being cut; null if there is none} */
    @Nullable
    DdpMessage inWork() {
        return inWork;
    }

    /** The last segment of the message in work was cut. */
    void handOver() {
        if (inWork != null) {
            inWork.handOver();
            handedOver.add(inWork);
            inWork = null;
        }
    }

    /** {@return the oldest message that was handed over, which the transport has taken; null if there is none} */
    @Nullable
    DdpMessage taken() {
        return handedOver.poll();
    }

    /** Drops what is waiting or in work. */
    void dropUnsent(Throwable cause) {
        if (inWork != null) {
            inWork.drop(cause);
            inWork = null;
        }
        flushed = 0;
        DdpMessage message = waiting.poll();
        while (message != null) {
            message.drop(cause);
            message = waiting.poll();
        }
    }

    /** Drops what was handed over, but for the oldest {@code kept} messages. */
    void dropHandedOver(int kept, Throwable cause) {
        while (handedOver.size() > kept) {
            handedOver.removeLast().drop(cause);
        }
    }
}
