package io.iwarp.ddp;

import io.iwarp.internal.ProtocolFault;
import io.iwarp.memory.AccessRight;
import org.jspecify.annotations.Nullable;

/** A kind of tagged message. DDP calls the methods on the event loop of the stream. */
public non-sealed interface TaggedTarget extends Placement {
    /** Returns the right that the buffer of the STag must grant. */
    AccessRight right();

    /**
     * Begins to place the payload of a segment; {@link #onPlaced} ends it. Returns false if the payload is discarded,
     * because its request was cancelled.
     */
    boolean beginPlacement();

    /**
     * A segment passed all checks, and its payload, if it has any, was placed.
     *
     * @param segment valid during the call
     */
    void onPlaced(DdpSegment segment);

    /**
     * The message is complete: its last segment was placed.
     *
     * @param last that segment, with the STag and RsvdULP of the message; valid during the call
     * @return null if the message is valid; otherwise the error that ends reception, which {@link DdpUlp#onFault} gets
     *     with this segment
     */
    @Nullable
    ProtocolFault deliver(DdpSegment last);
}
