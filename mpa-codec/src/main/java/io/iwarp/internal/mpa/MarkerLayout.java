package io.iwarp.internal.mpa;

import io.netty.buffer.ByteBuf;

/**
 * Where the markers of a stream are, and the layout of one (RFC 5044 sections 4.2 and 4.3).
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |           RESERVED            |            FPDUPTR            |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Both fields are in network order. FPDUPTR is the number of bytes in the TCP stream from the first byte of
 * ULPDU_Length to the first byte of the marker (erratum 1427), or zero for a marker between two FPDUs, which belongs to
 * the one that follows. RESERVED is zero on send and ignored on receive, as are the two low bits of FPDUPTR; the CRC
 * covers them.
 *
 * <p>Position 0 is the first byte of Full Operation in one direction; there is a marker at every multiple of
 * {@value #INTERVAL}. A position has 64 bits and does not depend on TCP sequence numbers, which wrap. Since FPDUs and
 * markers are multiples of four bytes, an FPDU always starts at a multiple of four, and a marker never splits
 * ULPDU_Length or the CRC.
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

    private static final int POSITION_MASK = INTERVAL - 1;
    private static final int FPDUPTR_OFFSET = Short.BYTES;
    private static final int FPDUPTR_MASK = 0xFFFC;

    private MarkerLayout() {}

    /**
     * Reads FPDUPTR with its two low bits masked off.
     *
     * @param bytes the buffer, read only
     * @param index where the marker begins
     * @return bytes from ULPDU_Length to the marker, 0 to 65532
     */
    public static int fpduPointer(ByteBuf bytes, int index) {
        return bytes.getUnsignedShort(index + FPDUPTR_OFFSET) & FPDUPTR_MASK;
    }

    /**
     * Appends a marker.
     *
     * @param out where to append; not released
     * @param fpduPointer bytes from ULPDU_Length to this marker, a multiple of four in 0 to 65532
     */
    static void write(ByteBuf out, int fpduPointer) {
        out.writeInt(fpduPointer);
    }

    /** Returns whether there is a marker at a position: at every multiple of 512 bytes. */
    static boolean isAt(long position) {
        return (position & POSITION_MASK) == 0;
    }

    /** Returns the bytes from a position to the first byte of the next marker after it, 1 to 512. */
    static int bytesToNext(long position) {
        return INTERVAL - (int) (position & POSITION_MASK);
    }

    /**
     * Counts the markers of an FPDU: the one directly before it, those inside it, and one between its PAD and its CRC.
     *
     * @param position where the FPDU starts, with the marker before it
     * @param fpduLength bytes of the FPDU without markers, a multiple of four
     * @return the number of markers
     */
    static int countIn(long position, int fpduLength) {
        int lead = isAt(position) ? 1 : 0;
        int beforeNext = bytesToNext(position) - lead * LENGTH;
        if (fpduLength <= beforeNext) {
            return lead;
        }
        return lead + (fpduLength - beforeNext + BETWEEN - 1) / BETWEEN;
    }

    /** Returns the bytes of an FPDU with its markers; the arguments are those of {@link #countIn}. */
    static int wireLength(long position, int fpduLength) {
        return fpduLength + countIn(position, fpduLength) * LENGTH;
    }
}
