package io.iwarp.ddp;

import io.iwarp.internal.ProtocolFault;
import org.jspecify.annotations.Nullable;

/**
 * The receive buffers of one untagged queue, in the order in which messages take them (RFC 5041 section 5.1.2).
 *
 * <p>The buffer at the head belongs to the next message to be delivered, the next one to the message after that. DDP
 * calls the methods on the event loop of the stream while it handles a segment.
 */
public non-sealed interface UntaggedQueue extends Placement {
    /** Returns the number of buffers that the queue has for messages that were not delivered, at least 0. */
    int available();

    /**
     * A message needs the buffer at the head, and there is none, or it has no memory for a segment.
     *
     * @return false if this is an error, which ends the stream; true to stall the input: the segment waits, with
     *     everything after it, until a {@code read} passes down the pipeline and offers it again. The queue requests
     *     this {@code read} when it has a buffer, or finally to report the error.
     */
    default boolean awaitBuffer() {
        return false;
    }

    /**
     * Returns the buffer {@code ahead} places after the head. The queue may have to fetch it first.
     *
     * <p>A message without a buffer ends the stream (error 1/2/02). RFC 5041 section 7.1 calls this a system fault,
     * which must not be a usual event. The ULPs have to agree on how many messages may be in flight.
     *
     * @param ahead 0 for the head; unsigned, because a faulty peer may send any number
     * @return the same buffer for the same message until it is delivered; null if there is none
     */
    @Nullable
    UntaggedBuffer buffer(int ahead);

    /**
     * Removes the head from the queue: its message and all messages before it are complete.
     *
     * @param buffer the head, with {@link UntaggedBuffer#messageLength} and the other results. When this method
     *     returns, the head must be another buffer, or this one after {@link UntaggedBuffer#reset}.
     * @return null if the message is valid; otherwise the error that ends reception. {@link DdpUlp#onFault} then gets
     *     the last segment of this message, even if the message was complete before earlier ones.
     */
    @Nullable
    ProtocolFault deliver(UntaggedBuffer buffer);
}
