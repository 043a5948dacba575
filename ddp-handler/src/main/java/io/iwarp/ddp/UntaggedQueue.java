package io.iwarp.ddp;

import io.iwarp.ProtocolFault;
import org.jspecify.annotations.Nullable;

/**
 * The receive buffers of one untagged queue, in the order in which messages take them (RFC 5041 section 5.1.2).
 *
 * <p>DDP numbers them: the buffer at the head belongs to the next message to be delivered, the one behind it to the
 * message after that. DDP calls this on the event loop of the stream while it handles a segment.
 */
public interface UntaggedQueue {
    /**
     * {@return how many buffers there are that hold no delivered message, at least 0}
     *
     * <p>A message that finds no buffer ends the stream (error 1/2/02): RFC 5041 section 7.1 calls that a system fault,
     * which must not be a usual event. The ULPs have to agree on how many messages may be under way.
     */
    int available();

    /**
     * Makes sure that there is a buffer {@code ahead} places behind the head, which may mean to fetch it.
     *
     * @param ahead 0 for the head; unsigned, as a faulty peer may ask for any
     * @return false if there is none
     */
    default boolean offers(int ahead) {
        return Integer.compareUnsigned(ahead, available()) < 0;
    }

    /**
     * A message needs the head, and there is none.
     *
     * @return false if that is an error, which ends the stream. True if the segment is to be held back, with everything
     *     behind it, until it is offered again by a {@code read} that passes down the pipeline: the queue asks for that when
     *     it has a buffer, or to get the error after all
     */
    default boolean awaitBuffer() {
        return false;
    }

    /**
     * {@return the buffer {@code ahead} places behind the head}
     *
     * @param ahead 0 for the head, less than {@link #available}; the same buffer must come back for the same message
     *     until it is delivered
     */
    UntaggedBuffer buffer(int ahead);

    /**
     * Takes the head out of the queue: its message is complete, and so are all before it.
     *
     * @param buffer the head, with {@link UntaggedBuffer#messageLength} and the other results filled in. When this
     *     returns the head must be another buffer, or this one after {@link UntaggedBuffer#reset}
     * @return null if all is well; otherwise the error that ends reception. {@link DdpUlp#onFault} then names the last
     *     segment of this message, also when the message had been complete before earlier ones
     */
    @Nullable
    ProtocolFault deliver(UntaggedBuffer buffer);
}
