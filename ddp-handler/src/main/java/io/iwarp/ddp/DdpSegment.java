package io.iwarp.ddp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * One received DDP segment, read where it lies: a ULPDU with a header as {@link DdpLayout} draws it and, behind that,
 * the payload.
 *
 * <p>The object is used for one segment after the other, and it and its buffer are valid only during the call that
 * passes them. It owns nothing. All of it belongs to the event loop of the stream.
 *
 * <p>A peer may send a ULPDU that is too short for a header; {@link #headerComplete} tells. Only {@link #tagged},
 * {@link #ulpduLength} and the accessors of buffer and header range may be asked then, the others throw
 * {@link IllegalStateException}.
 */
public final class DdpSegment {
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int index;
    private int length;
    private int headerLength;
    // The header is read at once: each look at a buffer costs its checks again. Bytes 0 to 7, 6 to 13, 14 to 17.
    private long headerStart;
    private long headerMiddle;
    private int messageOffset;

    /** A segment of no bytes. */
    public DdpSegment() {}

    /**
     * Makes this object name the bytes of a ULPDU.
     *
     * @param bytes the buffer; no reference is taken
     * @param from index of the first byte of the ULPDU in the buffer
     * @param count bytes of the ULPDU, at least 0
     * @return this segment
     */
    @SuppressWarnings("ReferenceEquality") // a reference written again costs more than a look at it
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

    /** Makes this object name nothing, so that it keeps no buffer from being collected. */
    void clear() {
        wrap(Unpooled.EMPTY_BUFFER, 0, 0);
    }

    /** {@return whether the ULPDU is long enough for the header that its T flag announces} */
    public boolean headerComplete() {
        return length >= headerLength;
    }

    /** {@return the T flag: whether the payload goes to a tagged buffer; false for a ULPDU of no bytes} */
    public boolean tagged() {
        return (ddpControl() & DdpLayout.TAGGED_FLAG) != 0;
    }

    /** {@return the L flag: whether this is the last segment of its message} */
    public boolean last() {
        requireHeader();
        return (ddpControl() & DdpLayout.LAST_FLAG) != 0;
    }

    /** {@return DV, the version of DDP, 0..3} */
    public int version() {
        requireHeader();
        return ddpControl() & DdpLayout.VERSION_MASK;
    }

    /** {@return RsvdULP when tagged, its first byte when untagged: 0..255, the control byte of RDMAP} */
    public int control() {
        requireHeader();
        return (int) (headerStart >>> DdpLayout.RSVD_ULP_SHIFT) & 0xFF;
    }

    /** {@return the last four bytes of RsvdULP, any 32-bit value; only for an untagged segment} */
    public int rsvdUlp() {
        requireHeader();
        return (int) (headerStart >>> DdpLayout.STAG_SHIFT);
    }

    /** {@return the STag, any 32-bit value; only for a tagged segment} */
    public int stag() {
        requireHeader();
        return (int) (headerStart >>> DdpLayout.STAG_SHIFT);
    }

    /** {@return the tagged offset of the first payload byte, an unsigned 64-bit value; only for a tagged segment} */
    public long taggedOffset() {
        requireHeader();
        return headerMiddle;
    }

    /** {@return the queue number, an unsigned 32-bit value; only for an untagged segment} */
    public int queueNumber() {
        requireHeader();
        return (int) (headerMiddle >>> 32);
    }

    /** {@return the message sequence number, an unsigned 32-bit value; only for an untagged segment} */
    public int msn() {
        requireHeader();
        return (int) headerMiddle;
    }

    /** {@return offset of the first payload byte in the message, 0..2^32-1 bytes; only for an untagged segment} */
    public long messageOffset() {
        requireHeader();
        return Integer.toUnsignedLong(messageOffset);
    }

    /**
     * {@return the buffer that holds header and payload in one piece, still owned by MPA}
     *
     * <p>In {@link DdpUlp#onFault} it may hold the header alone.
     */
    public ByteBuf buffer() {
        return buffer;
    }

    /** {@return index of the first header byte in the buffer} */
    public int headerIndex() {
        return index;
    }

    /** {@return bytes of the header, 14 or 18; or all bytes there are when the header is incomplete} */
    public int headerLength() {
        return Math.min(headerLength, length);
    }

    /** {@return index of the first payload byte in the buffer} */
    public int payloadIndex() {
        return index + headerLength();
    }

    /** {@return bytes of the payload, at least 0} */
    public int payloadLength() {
        return length - headerLength();
    }

    /** {@return bytes of the ULPDU, header and payload: the DDP Segment Length of a Terminate message} */
    public int ulpduLength() {
        return length;
    }

    /** The header fields for people; the payload does not appear. */
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

    /** {@return the bytes 0 to 7 of the header} */
    long headerStart() {
        return headerStart;
    }

    /** {@return the bytes 6 to 13 of the header} */
    long headerMiddle() {
        return headerMiddle;
    }

    private int ddpControl() {
        return (int) (headerStart >>> DdpLayout.CONTROL_SHIFT);
    }

    private void requireHeader() {
        if (!headerComplete()) {
            throw new IllegalStateException("the ULPDU has " + length + " bytes, its DDP header needs " + headerLength
                    + ": ask headerComplete() first");
        }
    }
}
