package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Bytes;
import java.util.Locale;

/**
 * The message of rping: memory that one side names to the other.
 *
 * @param offset the tagged offset of its first byte
 * @param stag of the memory
 * @param size in bytes
 */
public record Advertisement(long offset, long stag, long size) {
    /** Bytes of the message. */
    public static final int LENGTH = 16;

    /** Returns the message in the payload of a Send. */
    public static Advertisement decode(byte[] payload) {
        return new Advertisement(Bytes.u64(payload, 0), Bytes.u32(payload, 8), Bytes.u32(payload, 12));
    }

    /** Returns the same memory without its first bytes. */
    public Advertisement from(long first) {
        return new Advertisement(offset + first, stag, size - first);
    }

    /** Returns the message as bytes. */
    public byte[] encode() {
        return Bytes.join(Bytes.u64(offset), Bytes.u32(stag), Bytes.u32(size));
    }

    /** Returns the message in one line. */
    public String describe() {
        return String.format(Locale.ROOT, "%d bytes at STag %08x, TO %x", size, stag, offset);
    }
}
