package io.iwarp.ddp;

/**
 * The layout of DDP headers (RFC 5041 sections 4.1 to 4.3). Offsets are in bytes from the first byte of the ULPDU. All
 * fields are big-endian.
 *
 * <p>Tagged (T = 1):
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *                                   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *                                   |T|L| Rsvd  | DV|   RsvdULP     |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                              STag                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +                               TO                              +
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Untagged (T = 0):
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *                                   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *                                   |T|L| Rsvd  | DV| RsvdULP[0:7]  |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                            RsvdULP[8:39]                      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                               QN                              |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                              MSN                              |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                              MO                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class DdpLayout {
    /** Offset of the DDP control field: T, L, reserved bits and DV (section 4.1). */
    public static final int CONTROL_OFFSET = 0;

    /** T: the segment goes to a tagged buffer. */
    public static final int TAGGED_FLAG = 0x80;

    /** L: the segment is the last of its message. */
    public static final int LAST_FLAG = 0x40;

    /** The reserved bits: zero when sent, ignored when received. */
    public static final int RESERVED_MASK = 0x3C;

    /** DV: the version of the protocol. */
    public static final int VERSION_MASK = 0x03;

    /** The only version. Every segment of a stream carries it. */
    public static final int VERSION = 1;

    /** Offset of RsvdULP, or of its first byte when untagged. */
    public static final int RSVD_ULP_OFFSET = CONTROL_OFFSET + Byte.BYTES;

    /** Tagged: offset of the STag (section 4.2). */
    public static final int STAG_OFFSET = RSVD_ULP_OFFSET + Byte.BYTES;

    /** Tagged: offset of the tagged offset (section 4.2). */
    public static final int TAGGED_OFFSET_OFFSET = STAG_OFFSET + Integer.BYTES;

    /** Length of a tagged header in bytes. */
    public static final int TAGGED_HEADER_LENGTH = TAGGED_OFFSET_OFFSET + Long.BYTES;

    /** Untagged: offset of the last four bytes of RsvdULP (section 4.3). */
    public static final int RSVD_ULP_REST_OFFSET = RSVD_ULP_OFFSET + Byte.BYTES;

    /** Untagged: offset of the queue number (section 4.3). */
    public static final int QUEUE_NUMBER_OFFSET = RSVD_ULP_REST_OFFSET + Integer.BYTES;

    /** Untagged: offset of the message sequence number (section 4.3). */
    public static final int MSN_OFFSET = QUEUE_NUMBER_OFFSET + Integer.BYTES;

    /** Untagged: offset of the message offset (section 4.3). */
    public static final int MESSAGE_OFFSET_OFFSET = MSN_OFFSET + Integer.BYTES;

    /** Length of an untagged header in bytes. */
    public static final int UNTAGGED_HEADER_LENGTH = MESSAGE_OFFSET_OFFSET + Integer.BYTES;

    /** Number of untagged queues of a stream; they are numbered from 0 (RFC 5040 section 4.3, RFC 7306 section 4). */
    public static final int QUEUES = 4;

    /** The MSN of the first message of each queue and direction (section 4.3). */
    public static final int FIRST_MSN = 1;

    /** Maximum length of a message in bytes: less than 2^32 (section 5.2). */
    public static final long MAX_MESSAGE_LENGTH = 0xFFFF_FFFFL;

    // Positions of the fields when bytes 0 to 7 of a header are read as one number.

    /** Left shift of the DDP control field. */
    static final int CONTROL_SHIFT = shift(CONTROL_OFFSET, Byte.BYTES);

    /** Left shift of RsvdULP, or of its first byte. */
    static final int RSVD_ULP_SHIFT = shift(RSVD_ULP_OFFSET, Byte.BYTES);

    /** Left shift of the STag, or of the rest of RsvdULP. */
    static final int STAG_SHIFT = shift(STAG_OFFSET, Integer.BYTES);

    private DdpLayout() {}

    private static int shift(int offset, int bytes) {
        return (Long.BYTES - offset - bytes) * Byte.SIZE;
    }
}
