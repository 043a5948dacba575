package io.iwarp.conformance.wire;

/**
 * The header of an Atomic Request (RFC 7306 section 5.2.1).
 *
 * @param code the first word: the AOpCode in its lowest four bits
 * @param identifier which the response repeats
 * @param stag of the memory
 * @param offset the tagged offset of the number
 * @param data to add or to swap in
 * @param mask of that
 * @param compare what a swap compares with
 * @param compareMask of that
 */
public record AtomicRequest(
        long code, long identifier, long stag, long offset, long data, long mask, long compare, long compareMask) {
    /** Its bytes. */
    public static final int LENGTH = 52;
    /** Bytes of the header of an Atomic Response. */
    public static final int RESPONSE_LENGTH = 12;
    /** The AOpCode of a FetchAdd. */
    public static final int FETCH_ADD = 0;
    /** The AOpCode of a CmpSwap. */
    public static final int COMPARE_SWAP = 2;

    /** Returns the header as bytes. */
    public byte[] encode() {
        return Bytes.join(
                Bytes.u32(code),
                Bytes.u32(identifier),
                Bytes.u32(stag),
                Bytes.u64(offset),
                Bytes.u64(data),
                Bytes.u64(mask),
                Bytes.u64(compare),
                Bytes.u64(compareMask));
    }
}
