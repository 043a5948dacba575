package io.iwarp.internal.mpa;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The layout of an MPA Request or Reply Frame (RFC 5044 section 7.1.1; the S bit: RFC 6581 section 6). All fields are
 * in network byte order. Start-up frames carry neither markers nor a CRC.
 *
 * <pre>
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  0  |                                                               |
 *     +         Key (16 bytes containing "MPA ID Req Frame"          +
 *  4  |                             or "MPA ID Rep Frame")            |
 *     +                                                               +
 *  8  |                                                               |
 *     +                                                               +
 * 12  |                                                               |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * 16  |M|C|R|S| Res   |     Rev       |          PD_Length            |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * 20  ~                Private Data (PD_Length bytes)                ~
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>The accessors take the buffer and the index of the first byte of the frame. They move no index. If the buffer has
 * {@link #HEADER_LENGTH} bytes from there on, they cannot fail.
 */
public final class MpaFrameLayout {

    /** Bytes of the key. */
    public static final int KEY_LENGTH = 16;

    /** Byte of the flags M, C, R and S. */
    public static final int FLAGS_OFFSET = KEY_LENGTH;

    /** Byte of the revision. */
    public static final int REVISION_OFFSET = FLAGS_OFFSET + Byte.BYTES;

    /** First byte of the 16-bit length of the private data. */
    public static final int PD_LENGTH_OFFSET = REVISION_OFFSET + Byte.BYTES;

    /** Bytes in front of the private data. */
    public static final int HEADER_LENGTH = PD_LENGTH_OFFSET + Short.BYTES;

    /** First byte of the private data. */
    public static final int PRIVATE_DATA_OFFSET = HEADER_LENGTH;

    /** Maximum length of the private data in bytes. */
    public static final int MAX_PRIVATE_DATA = 512;

    /** M: the sender of this frame requires markers in the FPDUs it receives. */
    public static final int FLAG_MARKERS = 0x80;

    /** C: the sender of this frame requests CRCs, in both directions. */
    public static final int FLAG_CRC = 0x40;

    /** R: connection rejected; in a Request Frame zero and ignored. */
    public static final int FLAG_REJECTED = 0x20;

    /** S: the private data begins with {@link EnhancedSetup}; from revision 2 on, in revision 1 a reserved bit. */
    public static final int FLAG_ENHANCED = 0x10;

    /** First revision in which the S bit has a meaning (RFC 6581 section 6). */
    public static final int FIRST_ENHANCED_REVISION = 2;

    /** Largest value of the revision byte. */
    public static final int MAX_REVISION = 0xFF;

    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);

    private MpaFrameLayout() {}

    /** Returns the byte at {@code position}, 0 to 15, of the Request key. */
    public static byte requestKey(int position) {
        return REQUEST_KEY[position];
    }

    /** Returns the byte at {@code position}, 0 to 15, of the Reply key. */
    public static byte replyKey(int position) {
        return REPLY_KEY[position];
    }

    /** Returns whether the frame at {@code index} begins with the Request key. */
    public static boolean hasRequestKey(ByteBuf buffer, int index) {
        return hasKey(REQUEST_KEY, buffer, index);
    }

    /** Returns whether the frame at {@code index} begins with the Reply key. */
    public static boolean hasReplyKey(ByteBuf buffer, int index) {
        return hasKey(REPLY_KEY, buffer, index);
    }

    /** Returns the byte of flags of the frame at {@code index}, including reserved bits. */
    public static int flags(ByteBuf buffer, int index) {
        return buffer.getUnsignedByte(index + FLAGS_OFFSET);
    }

    /** Returns the revision, 0 to 255, of the frame at {@code index}. */
    public static int revision(ByteBuf buffer, int index) {
        return buffer.getUnsignedByte(index + REVISION_OFFSET);
    }

    /** Returns the PD_Length field, 0 to 65535 bytes, of the frame at {@code index}; more than 512 is not valid. */
    public static int privateDataLength(ByteBuf buffer, int index) {
        return buffer.getUnsignedShort(index + PD_LENGTH_OFFSET);
    }

    /** Returns whether S is set and has a meaning: in revision 1 it is a reserved bit, which a receiver ignores. */
    static boolean enhanced(int flags, int revision) {
        return revision >= FIRST_ENHANCED_REVISION && (flags & FLAG_ENHANCED) != 0;
    }

    /**
     * Returns a copy of private data for a frame.
     *
     * @throws IllegalArgumentException if it has more than 512 bytes
     */
    static byte[] copyOfPrivateData(byte[] privateData) {
        if (privateData.length > MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException("private data has " + privateData.length + " bytes (expected: 0 to "
                    + MAX_PRIVATE_DATA + ", RFC 5044 section 7.1.1)");
        }
        return privateData.clone();
    }

    static void writeRequestKey(ByteBuf out) {
        out.writeBytes(REQUEST_KEY);
    }

    static void writeReplyKey(ByteBuf out) {
        out.writeBytes(REPLY_KEY);
    }

    private static boolean hasKey(byte[] key, ByteBuf buffer, int index) {
        for (int position = 0; position < KEY_LENGTH; position++) {
            if (buffer.getByte(index + position) != key[position]) {
                return false;
            }
        }
        return true;
    }
}
