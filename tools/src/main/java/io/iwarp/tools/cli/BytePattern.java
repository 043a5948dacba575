package io.iwarp.tools.cli;

import io.iwarp.memory.MemoryRegion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Bytes generated from a seed, so that a receiver that knows the seed can check each byte. Each eight bytes of the
 * pattern are a hash of their position, so a missing, duplicated or misplaced byte is detected.
 *
 * @param seed any number
 */
public record BytePattern(long seed) {
    /** The stride and the mixing steps of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
    private static final long STRIDE = 0x9e37_79b9_7f4a_7c15L;

    private static final long FIRST_FACTOR = 0xbf58_476d_1ce4_e5b9L;
    private static final long SECOND_FACTOR = 0x94d0_49bb_1331_11ebL;
    private static final int FIRST_SHIFT = 30;
    private static final int SECOND_SHIFT = 27;
    private static final int LAST_SHIFT = 31;

    /** The block size for generating and comparing large memory, in bytes. */
    private static final int PIECE = 1 << 20;

    /** Appends {@code length} bytes, the first being number 0 of the pattern. */
    public void append(ByteBuf out, int length) {
        append(out, 0, length);
    }

    private void append(ByteBuf out, long first, int length) {
        int whole = length & -Long.BYTES;
        for (int at = 0; at < whole; at += Long.BYTES) {
            out.writeLong(wordAt(first + at));
        }
        for (int at = whole; at < length; at++) {
            out.writeByte(byteAt(first + at));
        }
    }

    /** Fills a region, its first byte being number 0 of the pattern. */
    public void fill(MemoryRegion region) {
        ByteBuf piece = ByteBufAllocator.DEFAULT.directBuffer(PIECE, PIECE);
        try {
            for (long at = 0; at < region.length(); at += PIECE) {
                append(piece.clear(), at, (int) Math.min(PIECE, region.length() - at));
                region.setBytes(at, piece);
            }
        } finally {
            piece.release();
        }
    }

    /**
     * Returns the index of the first byte of a region that differs from the pattern, or -1 if none of {@code length}
     * does.
     */
    public long firstDifference(MemoryRegion region, long length) {
        for (long at = 0; at < length; at += PIECE) {
            int count = (int) Math.min(PIECE, length - at);
            ByteBuf piece = region.view(at, count);
            int difference = firstDifference(piece, 0, at, count);
            piece.release();
            if (difference >= 0) {
                return at + difference;
            }
        }
        return -1;
    }

    /** Returns the offset of the first byte from {@code index} on that differs from the pattern, or -1 if none does. */
    public int firstDifference(ByteBuf in, int index, int length) {
        return firstDifference(in, index, 0, length);
    }

    private int firstDifference(ByteBuf in, int index, long first, int length) {
        int at = 0;
        while (at + Long.BYTES <= length && in.getLong(index + at) == wordAt(first + at)) {
            at += Long.BYTES;
        }
        while (at < length && in.getByte(index + at) == byteAt(first + at)) {
            at++;
        }
        return at == length ? -1 : at;
    }

    private byte byteAt(long at) {
        int inWord = (int) (at % Long.BYTES);
        return (byte) (wordAt(at - inWord) >>> ((Long.BYTES - 1 - inWord) * Byte.SIZE));
    }

    private long wordAt(long at) {
        long bits = seed + STRIDE * (at + 1);
        bits = (bits ^ bits >>> FIRST_SHIFT) * FIRST_FACTOR;
        bits = (bits ^ bits >>> SECOND_SHIFT) * SECOND_FACTOR;
        return bits ^ bits >>> LAST_SHIFT;
    }
}
