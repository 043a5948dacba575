package io.iwarp.verbs;

import io.iwarp.memory.MemoryRegion;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives that any number of queue pairs take from (a verbs shared receive queue). A server with many connections posts
 * buffers for the messages that come at a time, not for the messages that each peer might send.
 *
 * <p>A queue pair uses it after {@link QueuePair#sharedReceiveQueue}. A receive is taken by the first message that needs
 * one, in the order of posting; its completion goes where the receives of that queue pair complete. When the queue is empty
 * a message does what {@link QueuePairSettings#receiveWait} says. When a stream ends, the receives that its incomplete
 * messages had taken are flushed to that queue pair's listener or completion queue; what is posted here stays for the
 * others.
 *
 * <p><b>Greed.</b> No stream holds more than its {@linkplain #share share}: receives taken by messages that are not
 * complete, or whose completions wait in a completion queue. What a stream wants beyond its share it has to wait for, or
 * ends for, with the others untouched. {@link #armLimit} tells when the queue runs low, and who took the last receive
 * (RFC 5040 section 8.1.2, RFC 5042 section 6.4.3.1).
 *
 * <p>Posting and arming may be done by any thread. Streams that do not trust each other should not share a queue.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5042#section-6.4.3.1">RFC 5042 section 6.4.3.1</a>
 */
public final class SharedReceiveQueue implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedReceiveQueue.class);

    /** The greatest depth, in receives. */
    public static final int GREATEST_DEPTH = 1 << 20;

    private final ReceivePool pool;
    private volatile @Nullable SharedReceiveQueueListener listener;

    private SharedReceiveQueue(int depth, int share) {
        this.pool = new ReceivePool(depth, share);
    }

    /**
     * Creates a queue.
     *
     * @param depth the most receives posted and not completed, 1 to {@link #GREATEST_DEPTH}
     * @param share the most that one stream may hold at a time, 1 to the depth. It also is the room that each queue pair
     *     reserves in the {@link CompletionQueue} of its receives.
     */
    public static SharedReceiveQueue create(int depth, int share) {
        if (depth < 1 || depth > GREATEST_DEPTH) {
            throw new IllegalArgumentException(
                    "depth " + depth + " of a shared receive queue is outside 1 to " + GREATEST_DEPTH);
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
     * @throws QueueFullException if as many receives as the queue is deep are posted and not completed
     * @throws IllegalStateException if the queue was closed
     */
    public void receive(long workRequestId, ByteBuf sink) {
        LentMemory.requireWritable(sink);
        int index = sink.writerIndex();
        int length = sink.writableBytes();
        sink.retain();
        pool.post(workRequestId, sink, index, length);
    }

    /**
     * Posts a receive into a part of a region.
     *
     * @param offset of the first byte in the region, 0 for its start
     * @param length 0 to 2^32 - 1 bytes
     * @throws QueueFullException if as many receives as the queue is deep are posted and not completed
     * @throws IllegalStateException if the queue was closed
     */
    public void receive(long workRequestId, MemoryRegion sink, long offset, long length) {
        LentMemory.retain(sink, offset, length);
        pool.post(workRequestId, sink, offset, length);
    }

    ReceivePool pool() {
        return pool;
    }

    /** Event loop: few receives remain. */
    void tell(QueuePair taker) {
        SharedReceiveQueueListener told = listener;
        if (told == null) {
            return;
        }
        try {
            told.onLimit(this, taker);
        } catch (RuntimeException | Error e) {
            LOGGER.error("a listener of a shared receive queue failed; the queue goes on", e);
        }
    }

    /** Sets who is told when the queue was armed and runs low. Set it before arming. */
    public SharedReceiveQueue listener(SharedReceiveQueueListener newListener) {
        listener = newListener;
        return this;
    }

    /**
     * Asks for one event when a receive is taken and fewer than so many remain (verbs: {@code ibv_modify_srq} with
     * {@code srq_limit}).
     *
     * @param newLimit 1 to the depth, or 0 to ask for none
     * @return whether there are fewer already: then post more, and do not wait for the event; the queue is armed all the same
     * @throws IllegalStateException if there is no listener, or the queue was closed
     */
    public boolean armLimit(int newLimit) {
        if (newLimit < 0 || newLimit > pool.depth()) {
            throw new IllegalArgumentException("limit " + newLimit + " is outside 0 to the depth, " + pool.depth());
        }
        if (listener == null) {
            throw new IllegalStateException("nobody would get the event: set a listener on the shared receive queue");
        }
        return pool.armLimit(newLimit);
    }

    /** Returns the most receives posted and not completed. */
    public int depth() {
        return pool.depth();
    }

    /** Returns the most receives that one stream may hold at a time. */
    public int share() {
        return pool.share();
    }

    /** Returns how many receives are posted and were not taken; a moment's view. */
    public int available() {
        return pool.available();
    }

    /** Returns whether it can be used; false once it was closed. */
    public boolean isOpen() {
        return pool.isOpen();
    }

    /**
     * Closes the queue. Posted receives are dropped: their buffers are let go of, and nobody is told. May be called again.
     *
     * @throws IllegalStateException if queue pairs use it: close them first. Then nothing was changed.
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
