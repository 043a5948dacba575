package io.iwarp.internal.mpa;

import java.io.ByteArrayOutputStream;
import java.util.zip.CRC32C;

/**
 * Frames ULPDUs byte by byte, straight from the text of RFC 5044 and without any arithmetic about intervals: the model
 * that the encoder, the decoder and the positions of markers are compared with.
 */
final class ReferenceFramer {

    private final boolean markers;
    private final boolean crc;
    private long position;
    private int markersInserted;

    ReferenceFramer(boolean crc, boolean markers) {
        this(crc, markers, 0);
    }

    ReferenceFramer(boolean crc, boolean markers, long position) {
        this.crc = crc;
        this.markers = markers;
        this.position = position;
    }

    long position() {
        return position;
    }

    int markersInserted() {
        return markersInserted;
    }

    byte[] frame(byte[] ulpdu) {
        ByteArrayOutputStream wire = new ByteArrayOutputStream(ulpdu.length + ulpdu.length / 64 + 16);
        if (markerDue()) {
            marker(wire, 0);
        }
        long start = position;
        oneByte(wire, ulpdu.length >> 8, start);
        oneByte(wire, ulpdu.length, start);
        for (byte oneByte : ulpdu) {
            oneByte(wire, oneByte, start);
        }
        for (int covered = 2 + ulpdu.length; covered % 4 != 0; covered++) {
            oneByte(wire, 0, start);
        }
        if (markerDue()) {
            marker(wire, position - start);
        }
        CRC32C sum = new CRC32C();
        sum.update(wire.toByteArray());
        long value = crc ? sum.getValue() : 0;
        for (int shift = 0; shift < 32; shift += 8) {
            wire.write((int) (value >> shift));
        }
        position += 4;
        return wire.toByteArray();
    }

    private void oneByte(ByteArrayOutputStream wire, int value, long start) {
        if (markerDue()) {
            marker(wire, position - start);
        }
        wire.write(value);
        position++;
    }

    private boolean markerDue() {
        return markers && position % 512 == 0;
    }

    private void marker(ByteArrayOutputStream wire, long pointer) {
        wire.write(0);
        wire.write(0);
        wire.write((int) (pointer >> 8));
        wire.write((int) pointer);
        position += 4;
        markersInserted++;
    }
}
