package io.iwarp.verbs;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A DDP segment of a scripted peer, written down from the RFCs' figures without any code of the stack. The defaults are
 * legal; each test breaks what it is about.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Segment(
        boolean tagged,
        boolean last,
        int ddpVersion,
        int rdmapVersion,
        int opcode,
        int invalidateStag,
        int queue,
        int msn,
        int offset,
        int stag,
        long taggedOffset,
        byte[] payload) {
    static Segment send(int msn, byte[] payload) {
        return new Segment(false, true, 1, 1, 3, 0, 0, msn, 0, 0, 0, payload);
    }

    static Segment write(int stag, long taggedOffset, byte[] payload) {
        return new Segment(true, true, 1, 1, 0, 0, 0, 0, 0, stag, taggedOffset, payload);
    }

    static Segment terminate(byte[] content) {
        return send(1, content).opcode(7).queue(2);
    }

    Segment last(boolean value) {
        return new Segment(
                tagged,
                value,
                ddpVersion,
                rdmapVersion,
                opcode,
                invalidateStag,
                queue,
                msn,
                offset,
                stag,
                taggedOffset,
                payload);
    }

    Segment ddpVersion(int value) {
        return new Segment(
                tagged,
                last,
                value,
                rdmapVersion,
                opcode,
                invalidateStag,
                queue,
                msn,
                offset,
                stag,
                taggedOffset,
                payload);
    }

    Segment rdmapVersion(int value) {
        return new Segment(
                tagged,
                last,
                ddpVersion,
                value,
                opcode,
                invalidateStag,
                queue,
                msn,
                offset,
                stag,
                taggedOffset,
                payload);
    }

    Segment opcode(int value) {
        return new Segment(
                tagged,
                last,
                ddpVersion,
                rdmapVersion,
                value,
                invalidateStag,
                queue,
                msn,
                offset,
                stag,
                taggedOffset,
                payload);
    }

    Segment invalidateStag(int value) {
        return new Segment(
                tagged, last, ddpVersion, rdmapVersion, opcode, value, queue, msn, offset, stag, taggedOffset, payload);
    }

    Segment queue(int value) {
        return new Segment(
                tagged,
                last,
                ddpVersion,
                rdmapVersion,
                opcode,
                invalidateStag,
                value,
                msn,
                offset,
                stag,
                taggedOffset,
                payload);
    }

    Segment offset(int value) {
        return new Segment(
                tagged,
                last,
                ddpVersion,
                rdmapVersion,
                opcode,
                invalidateStag,
                queue,
                msn,
                value,
                stag,
                taggedOffset,
                payload);
    }

    /** The DDP header: 14 octets tagged, 18 untagged. */
    byte[] header() {
        ByteBuffer header = ByteBuffer.allocate(tagged ? 14 : 18);
        header.put((byte) ((tagged ? 0x80 : 0) | (last ? 0x40 : 0) | ddpVersion));
        header.put((byte) (rdmapVersion << 6 | opcode));
        if (tagged) {
            header.putInt(stag).putLong(taggedOffset);
        } else {
            header.putInt(invalidateStag).putInt(queue).putInt(msn).putInt(offset);
        }
        return header.array();
    }

    byte[] ulpdu() {
        return concatenate(header(), payload);
    }

    byte[] fpdu() {
        return fpdu(ulpdu());
    }

    /** An FPDU without markers, with a good CRC. */
    static byte[] fpdu(byte[] ulpdu) {
        int pad = -(2 + ulpdu.length) & 3;
        ByteBuffer fpdu = ByteBuffer.allocate(2 + ulpdu.length + pad + 4);
        fpdu.putShort((short) ulpdu.length).put(ulpdu).position(2 + ulpdu.length + pad);
        fpdu.order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc(fpdu.array(), 0, fpdu.position()));
        return fpdu.array();
    }

    static long crc(byte[] octets, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(octets, offset, length);
        return crc.getValue();
    }

    static byte[] concatenate(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
