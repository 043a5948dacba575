package io.iwarp.internal.memory;

import io.iwarp.memory.LocalBuffer;
import java.util.Locale;

/** A region with an offset and a length. */
public final class DefaultLocalBuffer implements LocalBuffer {
    final DefaultMemoryRegion region;
    /** Where the piece begins, in bytes from the beginning of the region. */
    final long offset;

    private final long length;

    DefaultLocalBuffer(DefaultMemoryRegion region, long offset, long length) {
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

    @Override
    public DefaultLocalBuffer slice(long partOffset, long partLength) {
        requireWithin(partOffset, partLength, length, this);
        return new DefaultLocalBuffer(region, offset + partOffset, partLength);
    }

    @Override
    public boolean isReadOnly() {
        return region.isReadOnly();
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "LocalBuffer[STag 0x%08x, offset %d, %d bytes]", region.stag(), offset, length);
    }
}
