package io.iwarp.ddp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A DDP segment: the fields of its header (RFC 5041 sections 4.1 to 4.3), how they are written, and one received
 * segment, read in place. Offsets are in bytes from the first byte of the ULPDU. All fields are big-endian.
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
 *
 * <p>The object of a received segment is reused for each. It and its buffer are valid only during the call that passes
 * them. It owns no memory. It belongs to the event loop of the stream.
 *
 * <p>A peer may send a ULPDU that is too short for a header ({@link #headerComplete}). In that case only
 * {@link #tagged}, {@link #ulpduLength} and the accessors of buffer and header range may be called; the others throw
 * {@link IllegalStateException}.
 */
public final class DdpSegment {
    /** Offset of the DDP control field: T, L, reserved bits and DV (section 4.1). */
    private static final int CONTROL_OFFSET = 0;

    /** T: the segment goes to a tagged buffer. */
    public static final int TAGGED_FLAG = 0x80;

    /** L: the segment is the last of its message. */
    static final int LAST_FLAG = 0x40;

    /** DV: the version of the protocol. */
    private static final int VERSION_MASK = 0x03;

    /** The only version. Every segment of a stream carries it. */
    public static final int VERSION = 1;

    /** Offset of RsvdULP, or of its first byte when untagged. */
    private static final int RSVD_ULP_OFFSET = CONTROL_OFFSET + Byte.BYTES;

    /** Tagged: offset of the STag (section 4.2). */
    private static final int STAG_OFFSET = RSVD_ULP_OFFSET + Byte.BYTES;

    /** Tagged: offset of the tagged offset (section 4.2). */
    private static final int TAGGED_OFFSET_OFFSET = STAG_OFFSET + Integer.BYTES;

    /** Length of a tagged header in bytes. */
    public static final int TAGGED_HEADER_LENGTH = TAGGED_OFFSET_OFFSET + Long.BYTES;

    /** Untagged: offset of the last four bytes of RsvdULP (section 4.3). */
    private static final int RSVD_ULP_REST_OFFSET = RSVD_ULP_OFFSET + Byte.BYTES;

    /** Untagged: offset of the queue number (section 4.3). */
    private static final int QUEUE_NUMBER_OFFSET = RSVD_ULP_REST_OFFSET + Integer.BYTES;

    /** Untagged: offset of the message sequence number (section 4.3). */
    private static final int MSN_OFFSET = QUEUE_NUMBER_OFFSET + Integer.BYTES;

    /** Untagged: offset of the message offset (section 4.3). */
    static final int MESSAGE_OFFSET_OFFSET = MSN_OFFSET + Integer.BYTES;

    /** Length of an untagged header in bytes. */
    public static final int UNTAGGED_HEADER_LENGTH = MESSAGE_OFFSET_OFFSET + Integer.BYTES;

    /** Number of untagged queues of a stream; they are numbered from 0 (RFC 5040 section 4.3, RFC 7306 section 4). */
    static final int QUEUES = 4;

    /** The MSN of the first message of each queue and direction (section 4.3). */
    static final int FIRST_MSN = 1;

    /** The left shifts of the first two fields in the first eight bytes. */
    private static final int CONTROLS_SHIFT = Long.SIZE - STAG_OFFSET * Byte.SIZE;

    private static final int STAG_SHIFT = CONTROLS_SHIFT - Integer.SIZE;

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int index;
    private int length;
    private int headerLength;
    /** The DDP control field and the byte after it. */
    private int controls;

    private int stagOrRsvdUlp;
    private long taggedOffset;
    private int queueNumber;
    private int msn;
    private int messageOffset;

    /** Creates a segment of 0 bytes. */
    public DdpSegment() {}

    /**
     * Makes this object refer to the bytes of a ULPDU.
     *
     * @param bytes the buffer, which is not retained
     * @param from the index of the first byte of the ULPDU in the buffer
     * @param count the length of the ULPDU in bytes, at least 0
     * @return this segment
     */
    @SuppressWarnings("ReferenceEquality") // rewriting a reference costs more than comparing it
    public DdpSegment wrap(ByteBuf bytes, int from, int count) {
        if (buffer != bytes) {
            buffer = bytes;
        }
        index = from;
        length = count;
        if (count >= TAGGED_HEADER_LENGTH) {
            readHeader(bytes, from);
        } else {
            controls = count == 0 ? 0 : bytes.getUnsignedByte(from) << Byte.SIZE;
        }
        headerLength = tagged() ? TAGGED_HEADER_LENGTH : UNTAGGED_HEADER_LENGTH;
        if (headerComplete() && !tagged()) {
            messageOffset = bytes.getInt(from + MESSAGE_OFFSET_OFFSET);
        }
        return this;
    }

    /** Reads two longs that overlap by two bytes, because every access to a buffer is bounds-checked. */
    private void readHeader(ByteBuf bytes, int from) {
        long start = bytes.getLong(from);
        controls = (int) (start >>> CONTROLS_SHIFT);
        stagOrRsvdUlp = (int) (start >>> STAG_SHIFT);
        long rest = bytes.getLong(from + TAGGED_OFFSET_OFFSET);
        taggedOffset = rest;
        queueNumber = (int) (rest >>> Integer.SIZE);
        msn = (int) rest;
    }

    /** Clears the reference to the buffer. */
    void clear() {
        wrap(Unpooled.EMPTY_BUFFER, 0, 0);
    }

    /** Returns whether the ULPDU is long enough for the header that its T flag announces. */
    public boolean headerComplete() {
        return length >= headerLength;
    }

    /** Returns the T flag: whether the payload goes to a tagged buffer; false for a ULPDU of 0 bytes. */
    public boolean tagged() {
        return (ddpControl() & TAGGED_FLAG) != 0;
    }

    /** Returns the L flag: whether this is the last segment of its message. */
    public boolean last() {
        requireHeader();
        return (ddpControl() & LAST_FLAG) != 0;
    }

    /** Returns whether this untagged segment is a message of its own: the first and the last. */
    boolean isWholeMessage() {
        return last() && messageOffset() == 0;
    }

    /** Returns DV, the version of DDP, 0 to 3. */
    public int version() {
        requireHeader();
        return ddpControl() & VERSION_MASK;
    }

    /** Returns RsvdULP when tagged, its first byte when untagged: 0 to 255, the control byte of RDMAP. */
    public int control() {
        requireHeader();
        return controls & 0xFF;
    }

    /** Returns the last four bytes of RsvdULP, any 32-bit value; only for an untagged segment. */
    public int rsvdUlp() {
        requireHeader();
        return stagOrRsvdUlp;
    }

    /** Returns the STag, any 32-bit value; only for a tagged segment. */
    public int stag() {
        requireHeader();
        return stagOrRsvdUlp;
    }

    /** Returns the tagged offset of the first payload byte, an unsigned 64-bit value; only for a tagged segment. */
    public long taggedOffset() {
        requireHeader();
        return taggedOffset;
    }

    /** Returns the queue number, an unsigned 32-bit value; only for an untagged segment. */
    public int queueNumber() {
        requireHeader();
        return queueNumber;
    }

    /** Returns the message sequence number, an unsigned 32-bit value; only for an untagged segment. */
    public int msn() {
        requireHeader();
        return msn;
    }

    /**
     * Returns the offset of the first payload byte in the message, 0 to 2^32 - 1 bytes; only for an untagged segment.
     */
    public long messageOffset() {
        requireHeader();
        return Integer.toUnsignedLong(messageOffset);
    }

    /**
     * Returns the buffer that contains header and payload in one piece, owned by MPA.
     *
     * <p>In {@link DdpUlp#onFault} it may contain only the header.
     */
    public ByteBuf buffer() {
        return buffer;
    }

    /** Returns the index of the first header byte in the buffer. */
    public int headerIndex() {
        return index;
    }

    /** Returns the length of the header, 14 or 18 bytes; if the header is incomplete, the length of the ULPDU. */
    public int headerLength() {
        return Math.min(headerLength, length);
    }

    /** Returns the index of the first payload byte in the buffer. */
    public int payloadIndex() {
        return index + headerLength();
    }

    /** Returns the length of the payload in bytes, at least 0. */
    public int payloadLength() {
        return length - headerLength();
    }

    /** Returns the length of the ULPDU, header and payload, in bytes: the DDP Segment Length of a Terminate message. */
    public int ulpduLength() {
        return length;
    }

    /** Returns the header fields, without the payload. */
    @Override
    public String toString() {
        if (!headerComplete()) {
            return "DdpSegment[" + length + " bytes, too short for a header]";
        }
        String where = tagged()
                ? String.format("STag 0x%08x, TO 0x%x", stag(), taggedOffset())
                : String.format(
                        "QN %s, MSN %s, MO %d",
                        Integer.toUnsignedString(queueNumber()), Integer.toUnsignedString(msn()), messageOffset());
        return String.format(
                "DdpSegment[%s, RsvdULP 0x%02x, %d bytes%s]",
                where, control(), payloadLength(), last() ? ", last" : "");
    }

    /** Returns the first two bytes of the header, for {@link #putUntagged(ByteBuf, int, int, int, int, long)}. */
    int controls() {
        return controls;
    }

    // Writing

    /**
     * Writes the header of a segment of a tagged message into a buffer.
     *
     * @param offset the offset of the first payload byte in the message
     */
    static void putTagged(ByteBuf header, DdpMessage message, long offset, boolean last) {
        putStart(header, controls(TAGGED_FLAG, message, last), message.stag());
        header.setLong(TAGGED_OFFSET_OFFSET, message.taggedOffset() + offset);
        header.setIndex(0, TAGGED_HEADER_LENGTH);
    }

    /**
     * Writes the header of a segment of an untagged message into a buffer.
     *
     * @param offset the offset of the first payload byte in the message
     */
    static void putUntagged(ByteBuf header, DdpMessage message, int msn, long offset, boolean last) {
        putUntagged(header, controls(0, message, last), message.rsvdUlp(), message.queueNumber(), msn, offset);
    }

    /**
     * Writes the header of an untagged segment into a buffer.
     *
     * @param controls the first two bytes
     */
    static void putUntagged(ByteBuf header, int controls, int rsvdUlp, int queueNumber, int msn, long offset) {
        putStart(header, controls, rsvdUlp);
        header.setLong(QUEUE_NUMBER_OFFSET, (long) queueNumber << Integer.SIZE | Integer.toUnsignedLong(msn));
        header.setInt(MESSAGE_OFFSET_OFFSET, (int) offset);
        header.setIndex(0, UNTAGGED_HEADER_LENGTH);
    }

    /** Writes the first six bytes, and two that the rest of the header overwrites. */
    private static void putStart(ByteBuf header, int controls, int stagOrRsvdUlp) {
        header.setLong(0, (long) controls << CONTROLS_SHIFT | Integer.toUnsignedLong(stagOrRsvdUlp) << STAG_SHIFT);
    }

    private static int controls(int flags, DdpMessage message, boolean last) {
        return (flags | (last ? LAST_FLAG : 0) | VERSION) << Byte.SIZE | message.control();
    }

    private int ddpControl() {
        return controls >>> Byte.SIZE;
    }

    private void requireHeader() {
        if (!headerComplete()) {
            throw new IllegalStateException("the ULPDU has " + length + " bytes, its DDP header needs " + headerLength
                    + ": call headerComplete() first");
        }
    }
}
