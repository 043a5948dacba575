package io.iwarp.conformance.wire;

import java.util.Locale;

/**
 * The header of an RDMA Read Request (RFC 5040 section 4.4).
 *
 * @param sinkStag where the response goes
 * @param sinkOffset where it begins there
 * @param size how many bytes are wanted
 * @param sourceStag where they are
 * @param sourceOffset where they begin there
 */
public record ReadRequest(long sinkStag, long sinkOffset, long size, long sourceStag, long sourceOffset) {
    /** Its bytes. */
    public static final int LENGTH = 28;

    /** Returns the header at the beginning of some bytes. */
    public static ReadRequest decode(byte[] payload) {
        return new ReadRequest(
                Bytes.u32(payload, 0),
                Bytes.u64(payload, 4),
                Bytes.u32(payload, 12),
                Bytes.u32(payload, 16),
                Bytes.u64(payload, 20));
    }

    /** Returns the header as bytes. */
    public byte[] encode() {
        return Bytes.join(
                Bytes.u32(sinkStag),
                Bytes.u64(sinkOffset),
                Bytes.u32(size),
                Bytes.u32(sourceStag),
                Bytes.u64(sourceOffset));
    }

    /** Returns the header in one line. */
    public String describe() {
        return String.format(
                Locale.ROOT,
                "%d bytes from STag %08x, TO %x to STag %08x, TO %x",
                size,
                sourceStag,
                sourceOffset,
                sinkStag,
                sinkOffset);
    }
}
