package io.iwarp.ddp;

import io.iwarp.internal.ProtocolFault;

/**
 * The destination of a segment: in the memory of an STag ({@link TaggedTarget}), in the next buffer of a queue
 * ({@link UntaggedQueue}), or nowhere ({@link Refused}).
 */
public sealed interface Placement permits TaggedTarget, UntaggedQueue, Placement.Refused {
    /**
     * The segment is an error, which ends reception.
     *
     * @param fault what is wrong with it
     */
    record Refused(ProtocolFault fault) implements Placement {}
}
