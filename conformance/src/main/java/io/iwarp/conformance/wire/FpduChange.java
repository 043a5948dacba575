package io.iwarp.conformance.wire;

/**
 * What is wrong with an FPDU on purpose.
 *
 * @param padding the value of each PAD byte
 * @param markerReserved the upper half of each marker
 * @param markerShift what is added to FPDUPTR of each marker
 * @param markerFrom the least right FPDUPTR of those markers
 * @param flipOffset the byte of which a bit is flipped after the CRC was made, or -1; negative values below -1 count
 *     from the end: -2 is the last byte
 * @param flipMask the bits that are flipped
 */
public record FpduChange(
        int padding, int markerReserved, int markerShift, int markerFrom, int flipOffset, int flipMask) {
    /** An FPDU as it should be. */
    public static final FpduChange NONE = new FpduChange(0, 0, 0, 0, -1, 0);

    private static final int FROM_END = -2;

    /** Returns an FPDU with a bit flipped, and the CRC of before. */
    public static FpduChange flip(int offset) {
        return new FpduChange(0, 0, 0, 0, offset, 1);
    }

    /** Returns an FPDU with a bit flipped in a byte that is counted from the end, 0 being the last one. */
    public static FpduChange flipFromEnd(int offset) {
        return new FpduChange(0, 0, 0, 0, FROM_END - offset, 1);
    }

    /** Returns an FPDU whose PAD has this value, with a CRC that is right. */
    public static FpduChange padding(int value) {
        return new FpduChange(value, 0, 0, 0, -1, 0);
    }

    /** Returns an FPDU with other markers, with a CRC that is right. */
    public static FpduChange markers(int reserved, int shift) {
        return new FpduChange(0, reserved, shift, 0, -1, 0);
    }

    /** Returns an FPDU of which markers that are so far from its beginning are others, with a CRC that is right. */
    public static FpduChange lateMarkers(int from, int shift) {
        return new FpduChange(0, 0, shift, from, -1, 0);
    }

    /** Returns whether the CRC is right. */
    boolean valid() {
        return flipOffset == -1;
    }

    int flipIndex(int length) {
        return flipOffset <= FROM_END ? length - 1 - (FROM_END - flipOffset) : flipOffset;
    }
}
