package io.iwarp.mpa;

import io.netty.buffer.ByteBuf;

/**
 * The layout of a marker (RFC 5044, sections 4.2 and 4.3).
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |           RESERVED            |            FPDUPTR            |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Both fields are in network order. FPDUPTR is the number of bytes in the TCP stream from the
 * first byte of ULPDU_Length to the first byte of the marker (erratum 1427), or zero for a marker
 * between two FPDUs, which belongs to the one that follows. RESERVED is zero on send and ignored on
 * receive, as are the two low bits of FPDUPTR; the CRC covers them.
 *
 * <p>The methods are pure functions of their arguments and safe from any thread.
 */
public final class MarkerLayout {

    /** Bytes of a marker. */
    public static final int LENGTH = Integer.BYTES;

    /** Bytes in the TCP stream from the start of one marker to the start of the next. */
    public static final int INTERVAL = 512;

    /** Bytes of FPDUs between the end of one marker and the start of the next. */
    public static final int BETWEEN = INTERVAL - LENGTH;

    private static final int FPDUPTR_OFFSET = Short.BYTES;
    private static final int FPDUPTR_MASK = 0xFFFC;

    private MarkerLayout() {}

    /**
     * Reads FPDUPTR with its two low bits masked off.
     *
     * @param bytes the buffer, read only
     * @param index where the marker begins
     * @return bytes from ULPDU_Length to the marker, 0..65532
     */
    public static int fpduPointer(ByteBuf bytes, int index) {
        return bytes.getUnsignedShort(index + FPDUPTR_OFFSET) & FPDUPTR_MASK;
    }

    /**
     * Appends a marker.
     *
     * @param out where to append; the caller keeps its reference
     * @param fpduPointer bytes from ULPDU_Length to this marker, a multiple of four in 0..65532
     */
    static void write(ByteBuf out, int fpduPointer) {
        out.writeInt(fpduPointer);
    }
}
