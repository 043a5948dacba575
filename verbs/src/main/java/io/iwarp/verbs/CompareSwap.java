package io.iwarp.verbs;

import java.util.Locale;

/**
 * The four numbers of a CmpSwap: the data and mask of the comparison with the peer's 64-bit number, and the data and
 * mask of its replacement.
 *
 * <pre>{@code
 * CompareSwap.compare(0).swap(1)                 // replaces 0 by 1
 * CompareSwap.compare(0, 0xff).swap(7, 0xff)     // the same for the lowest byte alone, 0 by 7
 * CompareSwap.always().swap(1)                   // replaces any number
 * }</pre>
 *
 * <p>Immutable. A post copies the numbers. Code that must not allocate creates the object once and reuses it.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.2">RFC 7306 section 5.1.2</a>
 */
public final class CompareSwap {
    private static final long ALL_BITS = -1;

    private final long swapData;
    private final long swapMask;
    private final long compareData;
    private final long compareMask;

    private CompareSwap(long swapData, long swapMask, long compareData, long compareMask) {
        this.swapData = swapData;
        this.swapMask = swapMask;
        this.compareData = compareData;
        this.compareMask = compareMask;
    }

    /**
     * Returns a comparison of all 64 bits.
     *
     * @param data the number to find
     */
    public static Comparison compare(long data) {
        return compare(data, ALL_BITS);
    }

    /**
     * Returns a comparison of some bits.
     *
     * @param data the bits to find
     * @param mask which bits are compared; 0 compares none, so that the swap always happens
     */
    public static Comparison compare(long data, long mask) {
        return new Comparison(data, mask);
    }

    /** Returns a comparison that always succeeds. */
    public static Comparison always() {
        return compare(0, 0);
    }

    /** The first half of a {@link CompareSwap}: the comparison. */
    public static final class Comparison {
        private final long data;
        private final long mask;

        private Comparison(long data, long mask) {
            this.data = data;
            this.mask = mask;
        }

        /**
         * Replaces all 64 bits if the comparison succeeds.
         *
         * @param replacement the new number
         */
        public CompareSwap swap(long replacement) {
            return swap(replacement, ALL_BITS);
        }

        /**
         * Replaces some bits if the comparison succeeds.
         *
         * @param replacement the new bits
         * @param replacementMask which bits are replaced
         */
        public CompareSwap swap(long replacement, long replacementMask) {
            return new CompareSwap(replacement, replacementMask, data, mask);
        }
    }

    /** Returns the new bits. */
    public long swapData() {
        return swapData;
    }

    /** Returns which bits are replaced. */
    public long swapMask() {
        return swapMask;
    }

    /** Returns the bits to compare with. */
    public long compareData() {
        return compareData;
    }

    /** Returns which bits are compared. */
    public long compareMask() {
        return compareMask;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "CompareSwap[swap 0x%x mask 0x%x, compare 0x%x mask 0x%x]",
                swapData,
                swapMask,
                compareData,
                compareMask);
    }
}
