package io.iwarp.memory;

import io.iwarp.internal.memory.DefaultLocalBuffer;

/**
 * Part of a region as the local memory of a request: the source of a Send or Write, or the sink of a Read or receive.
 * {@link MemoryRegion#slice} creates it and checks the range. One object serves any number of requests.
 *
 * <p>It does not keep the region open. A request holds the memory from its post to its completion; a post after the
 * region was closed throws {@link RegionClosedException}.
 *
 * <p>Immutable. Any thread may use it.
 */
public sealed interface LocalBuffer permits DefaultLocalBuffer {
    /**
     * Returns part of this piece.
     *
     * @param partOffset where the part begins, in bytes from the beginning of this piece
     * @param partLength the number of bytes of the part, at least 0
     * @throws IndexOutOfBoundsException if the part is not within this piece
     */
    LocalBuffer slice(long partOffset, long partLength);

    /** Returns whether the memory is read-only, so that no message and no Read can go there. */
    boolean isReadOnly();

    /** Returns the number of bytes, at least 0. */
    long length();

    /** Returns STag, offset and length. */
    @Override
    String toString();
}
