package io.iwarp.verbs;

import io.iwarp.memory.LocalBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Receives that any number of queue pairs share (a verbs shared receive queue). A server with many connections posts
 * buffers for the messages that arrive at the same time, not for all messages that each peer might send.
 *
 * <p>Attach a queue pair with {@link QueuePair#setSharedReceiveQueue}. Messages take receives in the order of posting;
 * the completion goes to the listener or completion queue of the queue pair. If the queue is empty,
 * {@link QueuePairSettings#receiveTimeout} applies to the message. When a stream ends, the receives of its incomplete
 * messages are flushed to that queue pair's listener or completion queue; posted receives stay for the other queue
 * pairs.
 *
 * <p><b>Fairness.</b> A stream holds at most its {@linkplain #share share} of receives: those of incomplete messages,
 * those whose completions wait in a completion queue, and one that was handed to it. A stream that exceeds its share
 * waits or ends; other streams are not affected. A receive is handed to the stream that has waited longest for it below
 * its share, and stays with it until its event loop takes it. If the stream ends before, the next one gets it. So a
 * stream on a slow event loop gets as many receives as the others, and the others wait for it if too few are posted:
 * post at least one for each stream that may wait. {@link #armLimit} requests an event when the queue runs low; the
 * event names the queue pair that took the last receive (RFC 5040 section 8.1.2, RFC 5042 section 6.4.3.1).
 *
 * <p>Any thread may post and arm. Streams that do not trust each other should not share a queue.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5042#section-6.4.3.1">RFC 5042 section 6.4.3.1</a>
 */
public final class SharedReceiveQueue implements AutoCloseable {
    /** The greatest depth, in receives. */
    public static final int MAX_DEPTH = 1 << 20;

    private final ReceivePool pool;
    private volatile @Nullable SharedReceiveQueueListener listener;

    private SharedReceiveQueue(int depth, int share) {
        this.pool = new ReceivePool(depth, share);
    }

    /**
     * Creates a queue.
     *
     * @param depth the maximum number of uncompleted receives, 1 to {@link #MAX_DEPTH}
     * @param share the maximum number of receives that one stream may hold, 1 to the depth. It is also the room that
     *     each queue pair reserves in the {@link CompletionQueue} of its receives.
     */
    public static SharedReceiveQueue create(int depth, int share) {
        if (depth < 1 || depth > MAX_DEPTH) {
            throw new IllegalArgumentException(
                    "depth " + depth + " of a shared receive queue is outside 1 to " + MAX_DEPTH);
        }
        if (share < 1 || share > depth) {
            throw new IllegalArgumentException("share " + share + " of a stream is outside 1 to the depth, " + depth);
        }
        return new SharedReceiveQueue(depth, share);
    }

    /**
     * Posts a receive, as {@link ReceiveQueue#receive(long, ByteBuf)} does for one queue pair.
     *
     * @param workRequestId comes back in the completion
     * @param sink its writable bytes take one message; the queue takes a reference of its own until the completion
     * @throws IllegalArgumentException if the sink is read-only, or has a capacity but no writable byte
     * @throws QueueFullException if as many receives as the queue is deep are posted and not completed
     * @throws IllegalStateException if the queue was closed
     */
    public void receive(long workRequestId, ByteBuf sink) {
        Objects.requireNonNull(sink, "sink is null");
        pool.post(workRequestId, sink);
    }

    /** Posts a receive without a buffer, for Immediate Data or a message of no bytes. */
    public void receive(long workRequestId) {
        receive(workRequestId, Unpooled.EMPTY_BUFFER);
    }

    /**
     * Posts a receive into a piece of a region.
     *
     * @param workRequestId comes back in the completion
     * @param sink 0 to 2^32 - 1 bytes
     * @throws QueueFullException if as many receives as the queue is deep are posted and not completed
     * @throws IllegalStateException if the queue was closed
     */
    public void receive(long workRequestId, LocalBuffer sink) {
        Objects.requireNonNull(sink, "sink is null");
        pool.post(workRequestId, sink);
    }

    ReceivePool pool() {
        return pool;
    }

    /** Event loop: reports that few receives remain. */
    void notifyLimit(QueuePair taker) {
        SharedReceiveQueueListener current = listener;
        if (current != null) {
            Callbacks.notify(this, () -> current.onLimit(this, taker));
        }
    }

    /** Sets the listener that is called when the armed queue runs low. Set it before arming. */
    public SharedReceiveQueue setListener(SharedReceiveQueueListener newListener) {
        listener = Objects.requireNonNull(newListener, "listener");
        return this;
    }

    /**
     * Requests one event when a receive is taken and fewer than {@code newLimit} remain (verbs: {@code ibv_modify_srq}
     * with {@code srq_limit}).
     *
     * @param newLimit 1 to the depth, or 0 to disarm
     * @return true if fewer receives remain already: post more then, and do not wait for the event. The queue is armed
     *     in either case.
     * @throws IllegalStateException if there is no listener, or the queue was closed
     */
    public boolean armLimit(int newLimit) {
        if (newLimit < 0 || newLimit > pool.depth()) {
            throw new IllegalArgumentException("limit " + newLimit + " is outside 0 to the depth, " + pool.depth());
        }
        if (listener == null) {
            throw new IllegalStateException("no listener for the event: set a listener on the shared receive queue");
        }
        return pool.armLimit(newLimit);
    }

    /** Returns the maximum number of uncompleted receives. */
    public int depth() {
        return pool.depth();
    }

    /** Returns the maximum number of receives that one stream may hold. */
    public int share() {
        return pool.share();
    }

    /** Returns the number of posted receives that are not assigned to a stream. It may change at any time. */
    public int available() {
        return pool.available();
    }

    /** Returns whether the queue is open. */
    public boolean isOpen() {
        return pool.isOpen();
    }

    /**
     * Closes the queue. Posted receives end without a completion, and their buffers are released. May be called again.
     *
     * @throws IllegalStateException if queue pairs use it: close them first. Nothing is changed then.
     */
    @Override
    public void close() {
        pool.close();
    }

    @Override
    public String toString() {
        return "SharedReceiveQueue[" + available() + " available, depth " + depth() + ", share " + share() + "]";
    }
}
