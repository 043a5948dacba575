package io.iwarp.ddp;

import io.iwarp.ProtocolFault;
import io.iwarp.memory.AccessRight;
import org.jspecify.annotations.Nullable;

/**
 * What DDP asks of, and tells, the layer above it. All calls come on the event loop of the stream. The ULP may write
 * messages from within any of them.
 *
 * <p>For each segment the order is: {@link #examine}, then {@link #queue} or {@link #placementRight}, then placement and
 * {@link #onPlaced}, then, if it was the last of its message, delivery by {@link UntaggedQueue#deliver} or
 * {@link #onTaggedDelivery}. What comes before placement is asked again for a segment that was held back.
 */
public interface DdpUlp {
    /**
     * Looks at a segment before anything of it is placed. Its DDP version is good, and its queue number when untagged;
     * nothing else was checked. Further checks follow, so this changes nothing; what a valid segment changes is for
     * {@link #onPlaced}.
     *
     * @param segment valid during the call
     * @return null if the segment may be placed, otherwise the error that ends reception
     */
    @Nullable
    ProtocolFault examine(DdpSegment segment);

    /**
     * {@return the right that the buffer has to grant for this segment}
     *
     * @param segment a tagged segment with payload that passed {@link #examine}
     */
    AccessRight placementRight(DdpSegment segment);

    /**
     * {@return the receive buffers of a segment's queue}
     *
     * @param segment an untagged segment that passed {@link #examine}; its queue number is 0..3
     */
    UntaggedQueue queue(DdpSegment segment);

    /**
     * A segment passed all checks, and its payload, if it has any, was placed.
     *
     * @param segment valid during the call
     */
    void onPlaced(DdpSegment segment);

    /**
     * A tagged message is complete: its last segment was placed.
     *
     * @param last that segment, with the STag and RsvdULP of the message; valid during the call
     * @return null if all is well; otherwise the error that ends reception, which {@link #onFault} gets with this
     *     segment
     */
    @Nullable
    ProtocolFault onTaggedDelivery(DdpSegment last);

    /**
     * The transport has taken all bytes of a message (RFC 5041 section 5.4). Calls come in the order of writing. The
     * message may be used again, also within this call.
     *
     * @param message the message
     */
    void onSent(DdpMessage message);

    /**
     * The memory that a message reads was revoked before all of it was read. What was cut of the message is on its way,
     * the rest is not sent, and the messages behind it are dropped. Messages before it are still sent, and reported with
     * the final words at the latest. Of what this side writes from now on only
     * {@linkplain DdpMessage#finalWords() final words} go out; until they are written, segments are still received.
     * Comes at most once; {@link #onSent} does not come for this message.
     *
     * <p>A ULP whose messages have no {@linkplain DdpMessage#source source} is never called.
     *
     * @param message the message, free to be used again
     * @param bytesRead how many of its bytes had been cut, 0 to less than its length
     */
    default void onSourceRevoked(DdpMessage message, long bytesRead) {}

    /**
     * An error ends reception: all later segments are dropped silently. Comes at most once. The stream stays open until
     * the ULP closes it, and may send one more message ({@link DdpMessage#finalWords}) unless the transport is lost.
     *
     * @param fault what happened
     * @param segment the segment with the error, or the last one of the message whose delivery was the error; valid
     *     during the call; null when the error is not that of a segment. Header and length are as they came, but the
     *     header may be incomplete, which {@link DdpSegment#headerComplete} tells, and the payload of a message that
     *     waited for earlier ones is not in the segment's buffer
     */
    void onFault(ProtocolFault fault, @Nullable DdpSegment segment);

    /** One burst of input has been handled, all of what was read or the next part of it: the moment to flush what it led to. */
    void onReadComplete();
}
