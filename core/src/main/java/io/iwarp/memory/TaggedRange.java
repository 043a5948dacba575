package io.iwarp.memory;

/** Arithmetic on ranges of tagged offsets, which are unsigned 64-bit numbers. */
final class TaggedRange {
    private TaggedRange() {}

    /** Returns whether a range exceeds 2^64. */
    static boolean wraps(long offset, long length) {
        // -offset is 2^64 - offset, the room up to 2^64. From offset 0 no length can wrap.
        return offset != 0 && Long.compareUnsigned(length, -offset) > 0;
    }

    /**
     * Refuses a base with which the range would exceed 2^64.
     *
     * @throws IllegalArgumentException if the range would exceed 2^64
     */
    static void requireEnds(long base, long length) {
        if (wraps(base, length)) {
            throw new IllegalArgumentException("base tagged offset " + Long.toUnsignedString(base) + " plus length "
                    + length + " is more than 2^64; choose a lower base");
        }
    }
}
