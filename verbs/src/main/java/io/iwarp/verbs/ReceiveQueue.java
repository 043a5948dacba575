package io.iwarp.verbs;

import io.iwarp.memory.LocalBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The receive queue of a {@link QueuePair}: buffers for the peer's messages. Each receive carries a work-request id,
 * which comes back in its completion. Posts allocate nothing. Any thread may post.
 *
 * <p>Completions go to the completion listener or the completion queue of the queue pair. Without one of them, posts
 * throw {@link IllegalStateException}. Posts also throw it if the queue pair has another source of receives: a
 * {@link SharedReceiveQueue}, or an allocator ({@link QueuePairSettings#managedReceiveBytes}).
 */
public final class ReceiveQueue {
    private final ReceiveSide side;

    ReceiveQueue(ReceiveSide side) {
        this.side = side;
    }

    /**
     * Posts a receive: one Send of the peer is placed in the buffer's writable bytes, up to its capacity.
     *
     * <p>At its completion the writer index has moved past the received bytes. Receives take messages in the order they
     * were posted. Post them before the connection is made: a Send that finds no receive ends the stream. Immediate
     * Data of the peer consumes a receive of any size as well and does not change its buffer.
     *
     * @param workRequestId comes back in the completion
     * @param sink up to 2^31 - 1 writable bytes; it does not grow. Two receives that use one buffer at a time overwrite
     *     each other.
     * @throws IllegalArgumentException if the sink is read-only, or has a capacity but no writable byte: clear it
     *     before it is used again
     */
    public void receive(long workRequestId, ByteBuf sink) {
        side.receive(workRequestId, sink, CompletionTarget.required(side.target()));
    }

    /** Posts a receive without a buffer, for Immediate Data or a message of no bytes. */
    public void receive(long workRequestId) {
        receive(workRequestId, Unpooled.EMPTY_BUFFER);
    }

    /**
     * Posts a receive into a piece of a region, which may be larger than a buffer can be.
     *
     * @param workRequestId comes back in the completion
     * @param sink 0 to 2^32 - 1 bytes
     */
    public void receive(long workRequestId, LocalBuffer sink) {
        side.receive(workRequestId, sink, CompletionTarget.required(side.target()));
    }

    @Override
    public String toString() {
        return "ReceiveQueue[" + side + "]";
    }
}
