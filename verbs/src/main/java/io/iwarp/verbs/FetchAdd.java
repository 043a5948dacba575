package io.iwarp.verbs;

import java.util.Locale;

/**
 * The two numbers of a FetchAdd: what to add, and which bits divide the peer's 64-bit number into fields.
 *
 * <pre>{@code
 * FetchAdd.add(1)                                    // one field of 64 bits
 * FetchAdd.add(0x1_0000_0001L).addMask(1L << 31)      // two fields of 32 bits: adds 1 to each, and no carry crosses
 * }</pre>
 *
 * <p>Immutable. A post copies the numbers. Code that must not allocate creates the object once and reuses it.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1.1">RFC 7306 section 5.1.1</a>
 */
public final class FetchAdd {
    private final long addend;
    private final long addMask;

    private FetchAdd(long addend, long addMask) {
        this.addend = addend;
        this.addMask = addMask;
    }

    /**
     * Returns an addition to one field of 64 bits.
     *
     * @param addend what to add; 0 reads the number, or tests whether the peer supports atomics
     */
    public static FetchAdd add(long addend) {
        return new FetchAdd(addend, 0);
    }

    /**
     * Returns the same addition in fields (RFC 7306: Add Mask).
     *
     * @param mask each set bit is the highest bit of a field, from which no carry goes into the next field; 0 for one
     *     field of 64 bits
     */
    public FetchAdd addMask(long mask) {
        return new FetchAdd(addend, mask);
    }

    /** Returns what is added. */
    public long addend() {
        return addend;
    }

    /** Returns the highest bits of the fields, or 0. */
    public long addMask() {
        return addMask;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "FetchAdd[add 0x%x, mask 0x%x]", addend, addMask);
    }
}
