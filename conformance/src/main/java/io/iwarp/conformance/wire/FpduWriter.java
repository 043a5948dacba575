package io.iwarp.conformance.wire;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Makes FPDUs of ULPDUs, for one direction of one connection. */
public final class FpduWriter {
    /** The distance of markers. */
    static final int MARKER_INTERVAL = 512;

    private static final int WORD = 4;

    private final boolean markers;
    private final boolean crc;
    private long position;

    /**
     * @param markers whether the receiver wants markers
     * @param crc whether the CRC is on; if not, the field holds zero
     */
    public FpduWriter(boolean markers, boolean crc) {
        this.markers = markers;
        this.crc = crc;
    }

    /** Returns how many bytes of Full Operation there have been. */
    public long position() {
        return position;
    }

    /** Returns the next FPDU. */
    public byte[] encode(byte[] ulpdu, FpduChange change) {
        byte[] padding = new byte[padding(ulpdu.length)];
        Arrays.fill(padding, (byte) change.padding());
        byte[] content = Bytes.join(Bytes.u16(ulpdu.length), ulpdu, padding);

        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + content.length / 100 + WORD);
        markerIfDue(out, -1, change);
        long start = position;
        for (byte value : content) {
            markerIfDue(out, start, change);
            out.write(value);
            position++;
        }
        markerIfDue(out, start, change);
        byte[] covered = out.toByteArray();
        byte[] check = crc ? Bytes.crc(covered, covered.length) : new byte[WORD];
        position += WORD;
        byte[] fpdu = Bytes.join(covered, check);
        int flip = change.flipIndex(fpdu.length);
        if (flip >= 0) {
            fpdu[flip] ^= (byte) change.flipMask();
        }
        return fpdu;
    }

    private void markerIfDue(ByteArrayOutputStream out, long start, FpduChange change) {
        if (markers && position % MARKER_INTERVAL == 0 && (start < 0 || position > start)) {
            int pointer = start < 0 ? 0 : (int) (position - start);
            out.writeBytes(Bytes.u16(change.markerReserved()));
            out.writeBytes(Bytes.u16(pointer + (pointer >= change.markerFrom() ? change.markerShift() : 0)));
            position += WORD;
        }
    }

    /** Returns how many bytes of PAD follow a ULPDU. */
    static int padding(int ulpduLength) {
        return -(ulpduLength + 2) & (WORD - 1);
    }
}
