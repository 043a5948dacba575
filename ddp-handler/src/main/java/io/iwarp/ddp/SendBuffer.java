package io.iwarp.ddp;

import io.iwarp.internal.RingQueue;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one stream that are not sent, in the order of writing, and the bursts in which their segments go to the
 * transport.
 *
 * <pre>
 *     first        taken           next                flushed          end
 *       │ unreported │ handed over   │ current, waiting   │ not flushed    │
 *   ────┴────────────┴───────────────┴────────────────────┴────────────────┴──►  position of a message
 * </pre>
 *
 * <p>A burst is what is written to the transport in one go. The promise of its last segment tells when the transport has
 * taken it. One burst at a time is open: segments are still added to it. Bursts are accounted for in their order, whatever
 * the order of their promises.
 */
final class SendBuffer {
    /**
     * The CRC, perhaps a copy, and the kernel's copy read the bytes of a burst. With short bursts they are in the cache of
     * the core each time. The rows at an MTU of 1,500 in {@code checks/benchmarks/compare} show it.
     */
    private static final int BURSTS_PER_WINDOW = 8;
    /** No burst is shorter than the largest segment. */
    private static final int MIN_BURST = 64 * 1024;

    private final RingQueue<DdpMessage> messages = new RingQueue<>();
    private long taken;
    private long next;
    private long flushed;
    /** Whether segments are being cut from the message at {@link #next}. */
    private boolean inWork;

    private final int window;
    private final int maxBurst;
    private final Runnable onSettled;
    private final ArrayDeque<Burst> bursts = new ArrayDeque<>();
    private final ArrayDeque<Burst> spare = new ArrayDeque<>();
    private @Nullable Burst open;
    private int bytesUnderWay;

    /**
     * @param window the maximum number of bytes of all bursts together
     * @param onSettled runs when the promise of a burst completes
     */
    SendBuffer(int window, Runnable onSettled) {
        this.window = window;
        this.maxBurst = Math.max(MIN_BURST, window / BURSTS_PER_WINDOW);
        this.onSettled = onSettled;
    }

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

    /** Returns whether the transport has taken every burst. */
    boolean settled() {
        return bursts.isEmpty();
    }

    /** Makes the next message current. Call it only if {@link #sendable} and no message is current. */
    DdpMessage begin() {
        inWork = true;
        return messages.get(next);
    }

    /** Returns the message from which segments are being cut; null if there is none. */
    @Nullable
    DdpMessage current() {
        return inWork ? messages.get(next) : null;
    }

    /** The last segment of the current message was cut. */
    void handOver() {
        if (inWork) {
            next++;
            inWork = false;
        }
    }

    /** Returns whether a burst may begin with a segment of so many bytes. */
    boolean hasRoomFor(int bytes) {
        return window - bytesUnderWay >= bytes;
    }

    /** Returns the maximum number of bytes of the next burst. */
    int budget() {
        return Math.min(maxBurst, window - bytesUnderWay);
    }

    /** Returns the open burst, or a new one, which is open from now on. */
    Burst open() {
        Burst burst = open;
        if (burst == null) {
            burst = spare.poll();
        }
        if (burst == null) {
            burst = new Burst(onSettled);
        }
        open = burst;
        return burst;
    }

    /** Returns whether segments can still be added to a burst. */
    boolean isOpen(Burst burst) {
        return burst == open;
    }

    /** Adds a segment to the open burst. */
    void addSegment(Burst burst, int ulpduBytes, boolean lastOfMessage) {
        burst.bytes += ulpduBytes;
        bytesUnderWay += ulpduBytes;
        if (lastOfMessage) {
            burst.messages++;
        }
    }

    /** No segment is added to the open burst any more. */
    void close(Burst burst) {
        open = null;
        bursts.add(burst);
    }

    /** Returns why the transport refused a burst that is not accounted for; null if it refused none. */
    @Nullable
    Throwable refusal() {
        for (Burst burst : bursts) {
            if (burst.failure != null) {
                return burst.failure;
            }
        }
        return null;
    }

    /**
     * Removes and returns the oldest burst if its promise is complete; null otherwise. Give it to {@link #account}.
     */
    @Nullable
    Burst takeSettled() {
        Burst head = bursts.peek();
        if (head == null || !head.settled) {
            return null;
        }
        bursts.remove();
        bytesUnderWay -= head.bytes;
        return head;
    }

    /** The transport has taken a burst: its messages are sent. */
    void account(Burst burst) {
        taken += burst.messages;
    }

    /** Keeps a burst that was taken out for a later one. */
    void reuse(Burst burst) {
        burst.bytes = 0;
        burst.messages = 0;
        burst.settled = false;
        burst.failure = null;
        spare.push(burst);
    }

    /** Removes and returns the oldest message that the transport has taken; null if there is none. */
    @Nullable
    DdpMessage takeSent() {
        return messages.first() < taken ? messages.remove() : null;
    }

    /** Drops the current message and those that wait. */
    void dropUnsent(Throwable cause) {
        drop(next, cause);
    }

    /** Drops all messages that the transport has not taken. Bursts that are under way report no message. */
    void dropUntaken(Throwable cause) {
        for (Burst burst : bursts) {
            burst.messages = 0;
        }
        if (open != null) {
            open.messages = 0;
        }
        drop(taken, cause);
    }

    /** Drops all messages and bursts. */
    void clear(Throwable cause) {
        open = null;
        bursts.clear();
        drop(messages.first(), cause);
    }

    private void drop(long from, Throwable cause) {
        // Drop callbacks may write, so the positions are consistent before they run.
        List<DdpMessage> dropped = messages.removeFrom(from);
        taken = Math.min(taken, from);
        next = Math.min(next, from);
        flushed = next;
        inWork = false;
        for (DdpMessage message : dropped) {
            message.drop(cause);
        }
    }

    /** Segments that are written together. Its objects are reused. */
    static final class Burst implements ChannelFutureListener {
        private final Runnable onSettled;
        private int bytes;
        /** The number of messages whose last segment is in this burst. */
        private int messages;

        private boolean settled;
        private @Nullable Throwable failure;

        private Burst(Runnable onSettled) {
            this.onSettled = onSettled;
        }

        /** Returns whether a message ends in this burst. */
        boolean endsMessage() {
            return messages > 0;
        }

        /** Returns why the transport refused the burst; null if it took it. */
        @Nullable
        Throwable failure() {
            return failure;
        }

        @Override
        public void operationComplete(ChannelFuture future) {
            settled = true;
            failure = future.cause();
            onSettled.run();
        }
    }
}
