package io.iwarp.memory;

import io.iwarp.internal.memory.TaggedBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A buffer that one side advertises to the other: the STag, the tagged offset of the first byte, and the length. The
 * application decides how to transfer it (RFC 5040 section 1.2). {@link #encode} is a ready encoding, big-endian:
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |                              STag                             |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |                                                               |
 *    +                         Tagged Offset                         +
 *    |                                                               |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |                                                               |
 *    +                             Length                            +
 *    |                                                               |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * @param stag the STag, any 32-bit value
 * @param taggedOffset the tagged offset of the first byte, unsigned
 * @param length the number of bytes, at least 0; tagged offset plus length is at most 2^64
 */
public record RemoteBuffer(int stag, long taggedOffset, long length) {
    /** The number of bytes that {@link #encode} writes. */
    public static final int ENCODED_LENGTH = Integer.BYTES + Long.BYTES + Long.BYTES;

    /** The first 4 bytes of {@link #encodeAll}: "iWRB" in ASCII. */
    public static final int ALL_MAGIC = 0x69575242;

    /** The version of {@link #encodeAll}. */
    public static final int ALL_VERSION = 1;

    private static final int ALL_HEADER_LENGTH = Integer.BYTES + 2 * Short.BYTES;
    private static final int MAX_BUFFERS = 0xFFFF;

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if the length is negative, or tagged offset plus length is more than 2^64
     */
    public RemoteBuffer {
        if (length < 0) {
            throw new IllegalArgumentException(
                    "the length of a remote buffer is 0 to 2^63 - 1 bytes, not " + Long.toUnsignedString(length));
        }
        if (TaggedBuffer.wraps(taggedOffset, length)) {
            throw new IllegalArgumentException("tagged offset " + Long.toUnsignedString(taggedOffset) + " plus length "
                    + length + " is more than 2^64; the range must not wrap");
        }
    }

    /**
     * Returns the buffer of an STag, a tagged offset and a length, which a peer has sent in a format of its own.
     *
     * @throws IllegalArgumentException if the length is negative, or tagged offset plus length is more than 2^64
     */
    public static RemoteBuffer of(int stag, long taggedOffset, long length) {
        return new RemoteBuffer(stag, taggedOffset, length);
    }

    /**
     * Returns part of this buffer, with the same STag.
     *
     * @param offset the start of the part, in bytes from the beginning of this buffer
     * @param length the number of bytes of the part
     * @return the part
     * @throws IndexOutOfBoundsException if the part is not within this buffer
     */
    public RemoteBuffer slice(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, this.length);
        return new RemoteBuffer(stag, taggedOffset + offset, length);
    }

    /**
     * Returns the 8 bytes at an offset, as the target of an atomic. {@link MemoryRegion#getVolatile} counts in the same
     * unit.
     *
     * @param byteOffset the offset of the first of the 8 bytes in this buffer, in bytes, a multiple of 8
     * @throws IllegalArgumentException if it is not a multiple of 8
     * @throws IndexOutOfBoundsException if the 8 bytes are not within this buffer
     */
    public RemoteBuffer word(long byteOffset) {
        if (byteOffset % Long.BYTES != 0) {
            throw new IllegalArgumentException("a word begins at a multiple of 8 bytes, not at byte " + byteOffset
                    + "; the offset is in bytes: word n is at byte 8 * n");
        }
        return slice(byteOffset, Long.BYTES);
    }

    /**
     * Writes the encoding at the buffer's writer index, which it moves by {@link #ENCODED_LENGTH}.
     *
     * @param out the destination; the caller keeps its reference
     */
    public void encode(ByteBuf out) {
        out.ensureWritable(ENCODED_LENGTH);
        out.writeInt(stag);
        out.writeLong(taggedOffset);
        out.writeLong(length);
    }

    /**
     * Reads an encoding at the buffer's reader index, which it moves by {@link #ENCODED_LENGTH}.
     *
     * @param in the source; the caller keeps its reference
     * @return the advertised buffer; whether the peer grants access shows only when it is used
     * @throws IllegalArgumentException if there are fewer bytes than {@link #ENCODED_LENGTH}, then none is read; or if
     *     the range is invalid
     */
    public static RemoteBuffer decode(ByteBuf in) {
        if (in.readableBytes() < ENCODED_LENGTH) {
            throw new IllegalArgumentException("an encoded remote buffer has " + ENCODED_LENGTH + " bytes, but only "
                    + in.readableBytes() + " are there");
        }
        return new RemoteBuffer(in.readInt(), in.readLong(), in.readLong());
    }

    /**
     * Returns the encoding of several buffers, for example for the private data of a connection: {@link #ALL_MAGIC} in
     * 4 bytes, {@link #ALL_VERSION} and the number of buffers in 2 bytes each, then each buffer as {@link #encode}
     * writes it. The magic number lets a peer detect other bytes.
     *
     * @param buffers at most 65,535
     */
    public static byte[] encodeAll(Collection<RemoteBuffer> buffers) {
        if (buffers.size() > MAX_BUFFERS) {
            throw new IllegalArgumentException(
                    buffers.size() + " remote buffers are too many to encode, at most " + MAX_BUFFERS);
        }
        ByteBuf out = Unpooled.wrappedBuffer(new byte[ALL_HEADER_LENGTH + buffers.size() * ENCODED_LENGTH])
                .clear();
        out.writeInt(ALL_MAGIC).writeShort(ALL_VERSION).writeShort(buffers.size());
        buffers.forEach(buffer -> buffer.encode(out));
        return out.array();
    }

    /**
     * Returns the buffers that {@link #encodeAll} encoded; none for no bytes.
     *
     * @throws IllegalArgumentException if the bytes are something else, or a buffer does not describe a range that can
     *     exist
     */
    public static List<RemoteBuffer> decodeAll(byte[] encoded) {
        if (encoded.length == 0) {
            return List.of();
        }
        ByteBuf in = Unpooled.wrappedBuffer(encoded);
        if (encoded.length < ALL_HEADER_LENGTH || in.readInt() != ALL_MAGIC) {
            throw new IllegalArgumentException(encoded.length + " bytes are not encoded remote buffers; decode them"
                    + " as the application of the peer encodes them");
        }
        int version = in.readUnsignedShort();
        if (version != ALL_VERSION) {
            throw new IllegalArgumentException("remote buffers are encoded in version " + version + " (expected: "
                    + ALL_VERSION + "); update this side");
        }
        int count = in.readUnsignedShort();
        if (in.readableBytes() != count * ENCODED_LENGTH) {
            throw new IllegalArgumentException(count + " encoded remote buffers have " + count * ENCODED_LENGTH
                    + " bytes, not " + in.readableBytes());
        }
        List<RemoteBuffer> buffers = new ArrayList<>(count);
        while (in.isReadable()) {
            buffers.add(decode(in));
        }
        return List.copyOf(buffers);
    }

    /** Returns the STag in hexadecimal, tagged offset and length in decimal. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "RemoteBuffer[STag 0x%08x, tagged offset %s, %d bytes]",
                stag,
                Long.toUnsignedString(taggedOffset),
                length);
    }
}
