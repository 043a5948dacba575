package io.iwarp.mpa;

import io.netty.buffer.ByteBuf;

/**
 * The layout of an FPDU without markers (RFC 5044, section 4.1).
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |          ULPDU_Length         |                               |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+                               +
 * |                                                               |
 * ~                             ULPDU                             ~
 * |                                                               |
 * |                               +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                               |        PAD (0..3 bytes)      |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |                              CRC                              |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>ULPDU_Length is in network order and counts only the bytes of the ULPDU. PAD makes the FPDU a
 * multiple of four bytes. The CRC is on the wire least significant byte first (section 4.4).
 *
 * <p>The methods are pure functions of their arguments and safe from any thread.
 */
public final class FpduLayout {

    /** Bytes of the ULPDU_Length field. */
    public static final int ULPDU_LENGTH_LENGTH = Short.BYTES;

    /** Bytes of the CRC field, which is there even when the CRC is off. */
    public static final int CRC_LENGTH = Integer.BYTES;

    /** An FPDU is a multiple of this many bytes. */
    public static final int ALIGNMENT = 4;

    /** The most bytes of padding an FPDU can have. */
    public static final int MAX_PAD_LENGTH = ALIGNMENT - 1;

    /** The largest ULPDU, in bytes, that the length field can announce. */
    public static final int MAX_ULPDU_LENGTH = 0xFFFF;

    /** What the CRC field holds when the CRC is off. */
    static final int NO_CRC = 0;

    private FpduLayout() {}

    /**
     * Returns how many bytes of padding follow a ULPDU.
     *
     * @param ulpduLength bytes of the ULPDU, 0..65535
     * @return 0..3
     */
    public static int padLength(int ulpduLength) {
        return -(ULPDU_LENGTH_LENGTH + ulpduLength) & MAX_PAD_LENGTH;
    }

    /**
     * Returns the length of an FPDU without markers.
     *
     * @param ulpduLength bytes of the ULPDU, 0..65535
     * @return bytes of ULPDU_Length, ULPDU, PAD and CRC together, a multiple of four
     */
    public static int fpduLength(int ulpduLength) {
        return ULPDU_LENGTH_LENGTH + ulpduLength + padLength(ulpduLength) + CRC_LENGTH;
    }

    /**
     * Reads the ULPDU_Length field (network order).
     *
     * @param bytes the buffer, read only
     * @param index where the field begins
     * @return bytes of the ULPDU, 0..65535
     */
    public static int ulpduLength(ByteBuf bytes, int index) {
        return bytes.getUnsignedShort(index);
    }

    /**
     * Reads the CRC field (least significant byte first).
     *
     * @param bytes the buffer, read only
     * @param index where the field begins
     * @return the CRC32C as a 32-bit value
     */
    public static int crc(ByteBuf bytes, int index) {
        return bytes.getIntLE(index);
    }
}
