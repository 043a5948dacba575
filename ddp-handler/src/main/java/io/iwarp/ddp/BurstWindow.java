package io.iwarp.ddp;

import io.iwarp.Counter;
import io.iwarp.Counters;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The bursts of one stream that the transport has not taken, and how many bytes they may have together. One burst at a time
 * is open: segments are still added to it.
 */
final class BurstWindow {
    /**
     * The CRC, perhaps a copy, and the kernel's copy read the bytes of a burst. With short bursts they are in the cache of
     * the core each time. The rows at an MTU of 1,500 in {@code benchmarks/compare} show it.
     */
    private static final int BURSTS_PER_WINDOW = 8;
    /** No burst is shorter than the largest segment. */
    private static final int SMALLEST_BURST = 64 * 1024;

    private final int window;
    private final int longestBurst;
    private final Runnable onSettled;
    private final Counters counters;
    private final ArrayDeque<Burst> underWay = new ArrayDeque<>();
    private final ArrayDeque<Burst> spare = new ArrayDeque<>();
    private @Nullable Burst open;
    private int bytes;

    /**
     * A window without bursts.
     *
     * @param window the most bytes of all bursts together
     * @param onSettled runs when the promise of a burst completes
     * @param counters counts messages when their last segment is added
     */
    BurstWindow(int window, Runnable onSettled, Counters counters) {
        this.window = window;
        this.longestBurst = Math.max(SMALLEST_BURST, window / BURSTS_PER_WINDOW);
        this.onSettled = onSettled;
        this.counters = counters;
    }

    /** Returns whether the transport has taken every closed burst. */
    boolean empty() {
        return underWay.isEmpty();
    }

    /** Returns whether so many bytes more may be under way. */
    boolean hasRoomFor(int more) {
        return window - bytes >= more;
    }

    /** Returns how many bytes the next burst may have. */
    int budget() {
        return Math.min(longestBurst, window - bytes);
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
    void add(Burst burst, int ulpduBytes, boolean lastOfMessage) {
        burst.addSegment(ulpduBytes);
        bytes += ulpduBytes;
        if (lastOfMessage) {
            burst.endMessage();
            counters.add(Counter.MESSAGES_SENT, 1);
        }
    }

    /** No segment is added to the open burst any more. Its promise tells when the transport has taken it. */
    void close(Burst burst) {
        open = null;
        underWay.add(burst);
    }

    /** Returns why the transport refused a burst that is not accounted for; null if it refused none. */
    @Nullable
    Throwable refusal() {
        for (Burst burst : underWay) {
            Throwable failure = burst.failure();
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    /**
     * Takes out the oldest burst if it is settled: bursts are accounted for in their order, whatever the order of the
     * promises. {@link #reuse} gives it back.
     */
    @Nullable
    Burst takeSettled() {
        Burst head = underWay.peek();
        if (head == null || !head.settled()) {
            return null;
        }
        underWay.remove();
        bytes -= head.bytes();
        return head;
    }

    /** Keeps a burst that was taken out for a later one. */
    void reuse(Burst burst) {
        burst.reset();
        spare.push(burst);
    }

    /** No message in these bursts is to be reported. */
    void forgetMessages() {
        for (Burst burst : underWay) {
            burst.forgetMessages();
        }
        if (open != null) {
            open.forgetMessages();
        }
    }

    /** Drops all bursts. */
    void clear() {
        open = null;
        underWay.clear();
    }
}
