package io.iwarp.memory;

import java.util.Locale;

/**
 * Part of a region as the local memory of a request: the source of a Send or Write, or the sink of a Read or receive.
 * {@link MemoryRegion#slice} creates it and checks the range. One object serves any number of requests.
 *
 * <p>It does not keep the region open. A request holds the memory from its post to its completion; a post after the
 * region was closed throws {@link RegionClosedException}.
 *
 * <p>Immutable. Any thread may use it.
 */
public final class LocalBuffer {
    final MemoryRegion region;
    /** Where the piece begins, in bytes from the beginning of the region. */
    final long offset;

    private final long length;

    LocalBuffer(MemoryRegion region, long offset, long length) {
        requireWithin(offset, length, region.length(), region);
        this.region = region;
        this.offset = offset;
        this.length = length;
    }

    static void requireWithin(long offset, long length, long whole, Object what) {
        if (offset < 0 || length < 0 || length > whole - offset) {
            throw new IndexOutOfBoundsException("offset " + offset + " and length " + length + " are not within the "
                    + whole + " bytes of " + what + ": slice a part that is");
        }
    }

    /**
     * Returns part of this piece.
     *
     * @param partOffset where the part begins, in bytes from the beginning of this piece
     * @param partLength the number of bytes of the part, at least 0
     * @throws IndexOutOfBoundsException if the part is not within this piece
     */
    public LocalBuffer slice(long partOffset, long partLength) {
        requireWithin(partOffset, partLength, length, this);
        return new LocalBuffer(region, offset + partOffset, partLength);
    }

    /** Returns whether the memory is read-only, so that no message and no Read can go there. */
    public boolean isReadOnly() {
        return region.isReadOnly();
    }

    /** Returns the number of bytes, at least 0. */
    public long length() {
        return length;
    }

    /** Returns STag, offset and length. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "LocalBuffer[STag 0x%08x, offset %d, %d bytes]", region.stag(), offset, length);
    }
}
