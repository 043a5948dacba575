package io.iwarp.examples;

import io.netty.buffer.ByteBuf;

/**
 * Octets that follow from a seed, so that a receiver who knows the seed can check each one. Eight octets of the pattern
 * are the mixed bits of their place, so no octet can be missing, doubled or elsewhere without being seen.
 *
 * @param seed any number
 */
record OctetPattern(long seed) {
    /** The stride and the mixing steps of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
    private static final long STRIDE = 0x9e37_79b9_7f4a_7c15L;

    private static final long FIRST_FACTOR = 0xbf58_476d_1ce4_e5b9L;
    private static final long SECOND_FACTOR = 0x94d0_49bb_1331_11ebL;
    private static final int FIRST_SHIFT = 30;
    private static final int SECOND_SHIFT = 27;
    private static final int LAST_SHIFT = 31;

    /** Appends {@code length} octets, the first being number 0 of the pattern. */
    void append(ByteBuf out, int length) {
        int whole = length & -Long.BYTES;
        for (int at = 0; at < whole; at += Long.BYTES) {
            out.writeLong(wordAt(at));
        }
        for (int at = whole; at < length; at++) {
            out.writeByte(octetAt(at));
        }
    }

    /** {@return the number of the first octet from {@code index} on that is not the pattern's, or -1 if all are} */
    int firstDifference(ByteBuf in, int index, int length) {
        int at = 0;
        while (at + Long.BYTES <= length && in.getLong(index + at) == wordAt(at)) {
            at += Long.BYTES;
        }
        while (at < length && in.getByte(index + at) == octetAt(at)) {
            at++;
        }
        return at == length ? -1 : at;
    }

    private byte octetAt(int at) {
        return (byte) (wordAt(at & -Long.BYTES) >>> ((Long.BYTES - 1 - at % Long.BYTES) * Byte.SIZE));
    }

    private long wordAt(int at) {
        long bits = seed + STRIDE * (at + 1L);
        bits = (bits ^ bits >>> FIRST_SHIFT) * FIRST_FACTOR;
        bits = (bits ^ bits >>> SECOND_SHIFT) * SECOND_FACTOR;
        return bits ^ bits >>> LAST_SHIFT;
    }
}
