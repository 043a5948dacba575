package io.iwarp.ddp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * One received DDP segment, read in place: a ULPDU with a header as shown in {@link DdpLayout}, followed by the payload.
 *
 * <p>The object is reused for each segment. It and its buffer are valid only during the call that passes them. It owns
 * nothing. It belongs to the event loop of the stream.
 *
 * <p>A peer may send a ULPDU that is too short for a header ({@link #headerComplete}). Then only {@link #tagged},
 * {@link #ulpduLength} and the accessors of buffer and header range may be called. The others throw
 * {@link IllegalStateException}.
 */
public final class DdpSegment {
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int index;
    private int length;
    private int headerLength;
    // The header is read in few pieces, because each access to a buffer is checked. The rate of Sends in
    // checks/benchmarks/compare shows it. Bytes 0 to 7, 6 to 13, 14 to 17.
    private long headerStart;
    private long headerMiddle;
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
        if (count >= DdpLayout.TAGGED_HEADER_LENGTH) {
            headerStart = bytes.getLong(from);
            headerMiddle = bytes.getLong(from + DdpLayout.TAGGED_OFFSET_OFFSET);
        } else {
            headerStart = count == 0 ? 0 : (long) bytes.getByte(from) << (Long.SIZE - Byte.SIZE);
        }
        headerLength = tagged() ? DdpLayout.TAGGED_HEADER_LENGTH : DdpLayout.UNTAGGED_HEADER_LENGTH;
        if (headerComplete() && !tagged()) {
            messageOffset = bytes.getInt(from + DdpLayout.MESSAGE_OFFSET_OFFSET);
        }
        return this;
    }

    /** Drops the reference to the buffer. */
    void clear() {
        wrap(Unpooled.EMPTY_BUFFER, 0, 0);
    }

    /** Returns whether the ULPDU is long enough for the header that its T flag announces. */
    public boolean headerComplete() {
        return length >= headerLength;
    }

    /** Returns the T flag: whether the payload goes to a tagged buffer; false for a ULPDU of 0 bytes. */
    public boolean tagged() {
        return (ddpControl() & DdpLayout.TAGGED_FLAG) != 0;
    }

    /** Returns the L flag: whether this is the last segment of its message. */
    public boolean last() {
        requireHeader();
        return (ddpControl() & DdpLayout.LAST_FLAG) != 0;
    }

    /** Returns DV, the version of DDP, 0..3. */
    public int version() {
        requireHeader();
        return ddpControl() & DdpLayout.VERSION_MASK;
    }

    /** Returns RsvdULP when tagged, its first byte when untagged: 0..255, the control byte of RDMAP. */
    public int control() {
        requireHeader();
        return (int) (headerStart >>> DdpLayout.RSVD_ULP_SHIFT) & 0xFF;
    }

    /** Returns the last four bytes of RsvdULP, any 32-bit value; only for an untagged segment. */
    public int rsvdUlp() {
        requireHeader();
        return (int) (headerStart >>> DdpLayout.STAG_SHIFT);
    }

    /** Returns the STag, any 32-bit value; only for a tagged segment. */
    public int stag() {
        requireHeader();
        return (int) (headerStart >>> DdpLayout.STAG_SHIFT);
    }

    /** Returns the tagged offset of the first payload byte, an unsigned 64-bit value; only for a tagged segment. */
    public long taggedOffset() {
        requireHeader();
        return headerMiddle;
    }

    /** Returns the queue number, an unsigned 32-bit value; only for an untagged segment. */
    public int queueNumber() {
        requireHeader();
        return (int) (headerMiddle >>> 32);
    }

    /** Returns the message sequence number, an unsigned 32-bit value; only for an untagged segment. */
    public int msn() {
        requireHeader();
        return (int) headerMiddle;
    }

    /** Returns offset of the first payload byte in the message, 0..2^32-1 bytes; only for an untagged segment. */
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

    /** Returns the bytes 0 to 7 of the header. */
    long headerStart() {
        return headerStart;
    }

    /** Returns the bytes 6 to 13 of the header. */
    long headerMiddle() {
        return headerMiddle;
    }

    private int ddpControl() {
        return (int) (headerStart >>> DdpLayout.CONTROL_SHIFT);
    }

    private void requireHeader() {
        if (!headerComplete()) {
            throw new IllegalStateException("the ULPDU has " + length + " bytes, its DDP header needs " + headerLength
                    + ": call headerComplete() first");
        }
    }
}
