package io.iwarp.ddp;

import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import org.jspecify.annotations.Nullable;

/**
 * The layer above DDP (ULP). DDP makes all calls on the event loop of the stream. The ULP may write messages during any
 * of them.
 *
 * <p>For each segment the order is: {@link #placementOf}, then the checks of DDP, then placement and {@link #onPlaced},
 * then, if the message is complete, delivery by {@link UntaggedQueue#deliver} or {@link TaggedTarget#deliver}.
 * {@link #placementOf} is called again for a segment that stalled the input.
 */
public interface DdpUlp {
    /**
     * Checks a segment and returns its destination. Only the DDP version and the queue number of an untagged segment
     * have been checked before. Must not change any state, since further checks follow; {@link #onPlaced} applies the
     * effects of a valid segment.
     *
     * @param segment valid during the call
     */
    Placement placementOf(DdpSegment segment);

    /** A segment passed all checks, and its payload, if it has any, was placed. */
    void onPlaced();

    /**
     * The transport has taken all bytes of a message (RFC 5041 section 5.4). Calls come in the order of writing. The
     * message may be used again, even during this call.
     *
     * <p>A ULP that has nothing more to send closes the sending half when its last message is sent.
     *
     * @param message the message
     */
    void onSent(DdpMessage message);

    /**
     * The memory that a message reads was revoked before all of it was read. The segments cut so far are sent, the rest
     * of the message and later messages fail. Earlier messages are still sent, and are reported before the terminal
     * message. After this call only the {@linkplain DdpMessage#terminal() terminal message} is sent. Until it is
     * written, segments are still received. Called at most once. {@link #onSent} is not called for this message.
     *
     * <p>It is never called if no message has a {@linkplain DdpMessage#source source}.
     *
     * @param message the message, which may be reused
     * @param bytesRead the number of its bytes that were cut, 0 to less than its length
     */
    default void onSourceRevoked(DdpMessage message, long bytesRead) {}

    /**
     * An untagged message was incomplete for too long. All later segments are discarded silently. Called at most once,
     * unless an error was reported before.
     *
     * @param error what to report to the peer
     * @param detail which message, and how much of it has arrived
     */
    void onMessageTimeout(ProtocolError error, String detail);

    /**
     * An error ends reception: all later segments are discarded silently. Called at most once. The stream stays open
     * until the ULP closes it. The ULP may send one more message ({@link DdpMessage#terminal}) unless the transport is
     * lost.
     *
     * @param fault what happened
     * @param segment the segment with the error, or the last segment of the message whose delivery failed; null if no
     *     segment caused the error; valid during the call. Header and length are as received. The header may be
     *     incomplete ({@link DdpSegment#headerComplete}). The payload of a message that waited for earlier ones is not
     *     in the segment's buffer.
     */
    void onFault(ProtocolFault fault, @Nullable DdpSegment segment);

    /** One burst of input has been handled: all that was read, or the next part of it. Flush the responses now. */
    void onReadComplete();
}
