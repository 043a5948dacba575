package io.iwarp.mpa;

/**
 * The position in one direction of a stream, and the positions of the markers (RFC 5044,
 * section 4.3).
 *
 * <p>Position 0 is the first byte of Full Operation in that direction; there is a marker at
 * every multiple of {@value MarkerLayout#INTERVAL}. The position has 64 bits and does not depend on
 * TCP sequence numbers, which wrap. FPDUs and markers are multiples of four bytes. So an FPDU always
 * starts at a multiple of four, and a marker never splits ULPDU_Length or the CRC.
 *
 * <p>Not safe for use by several threads: it belongs to the event loop of its stream.
 */
final class MarkerCursor {

    private static final int POSITION_MASK = MarkerLayout.INTERVAL - 1;

    private long position;

    /** Creates a cursor at the first byte of Full Operation. */
    MarkerCursor() {
        this(0);
    }

    /**
     * Creates a cursor in the middle of a stream.
     *
     * @param position bytes since the start of Full Operation, a multiple of four, not negative
     * @throws IllegalArgumentException if the position is negative or not a multiple of four
     */
    MarkerCursor(long position) {
        if (position < 0 || position % FpduLayout.ALIGNMENT != 0) {
            throw new IllegalArgumentException("stream position is "
                    + position
                    + ", an FPDU can only start at a multiple of "
                    + FpduLayout.ALIGNMENT
                    + " bytes from 0 on");
        }
        this.position = position;
    }

    /**
     * Returns the position.
     *
     * @return bytes since the start of Full Operation
     */
    long position() {
        return position;
    }

    /**
     * Returns whether there is a marker at this position.
     *
     * @return true at every multiple of 512 bytes
     */
    boolean atMarker() {
        return (position & POSITION_MASK) == 0;
    }

    /**
     * Returns the distance to the next marker after this position.
     *
     * @return bytes from this position to the first byte of that marker, 1..512
     */
    int toNextMarker() {
        return MarkerLayout.INTERVAL - (int) (position & POSITION_MASK);
    }

    /**
     * Counts the markers of an FPDU that starts at this position: the one directly before it, those
     * inside it, and one between its PAD and its CRC.
     *
     * @param fpduLength bytes of the FPDU without markers, a multiple of four
     * @return the number of markers
     */
    int markersIn(int fpduLength) {
        int lead = atMarker() ? 1 : 0;
        int beforeNext = toNextMarker() - lead * MarkerLayout.LENGTH;
        if (fpduLength <= beforeNext) {
            return lead;
        }
        return lead + (fpduLength - beforeNext + MarkerLayout.BETWEEN - 1) / MarkerLayout.BETWEEN;
    }

    /**
     * Returns the length, with markers, of an FPDU that starts at this position.
     *
     * @param fpduLength bytes of the FPDU without markers, a multiple of four
     * @return bytes with markers
     */
    int wireLength(int fpduLength) {
        return fpduLength + markersIn(fpduLength) * MarkerLayout.LENGTH;
    }

    /**
     * Moves the position.
     *
     * @param bytes bytes of the stream, markers included
     */
    void advance(int bytes) {
        position += bytes;
    }

    /** Goes back to an earlier position, for an FPDU that could not be finished. */
    void reset(long earlier) {
        position = earlier;
    }
}
