package io.iwarp.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * A DDP segment of a scripted peer, written down from the RFCs' figures without any code of the stack. The defaults are
 * legal; each test breaks what it is about.
 */
public final class Segment implements Cloneable {
    private boolean tagged;
    private boolean last = true;
    private int ddpVersion = 1;
    private int reserved;
    private int control = 1 << 6;
    private int invalidateStag;
    private int queue;
    private int msn;
    private int offset;
    private int stag;
    private long taggedOffset;
    private byte[] payload = {};

    private Segment() {}

    /** The only segment of an empty Send, in this queue. */
    public static Segment untagged(int queue, int msn) {
        Segment segment = new Segment();
        segment.queue = queue;
        segment.msn = msn;
        return segment.opcode(3);
    }

    /** The only segment of an empty Write. */
    public static Segment tagged(int stag, long taggedOffset) {
        Segment segment = new Segment();
        segment.tagged = true;
        segment.stag = stag;
        segment.taggedOffset = taggedOffset;
        return segment;
    }

    public static Segment send(int msn, byte[] payload) {
        return untagged(0, msn).payload(payload);
    }

    public static Segment write(int stag, long taggedOffset, byte[] payload) {
        return tagged(stag, taggedOffset).payload(payload);
    }

    public static Segment terminate(byte[] content) {
        return send(1, content).opcode(7).queue(2);
    }

    /** A Terminate with a content in hexadecimal, which may have spaces. */
    public static Segment terminate(String content) {
        return terminate(HexFormat.of().parseHex(content.replace(" ", "")));
    }

    /** A Read Request with the given message number. */
    public static Segment readRequest(int msn, int sinkStag, long sinkOffset, int size, int stag, long offset) {
        return send(
                        msn,
                        ByteBuffer.allocate(28)
                                .putInt(sinkStag)
                                .putLong(sinkOffset)
                                .putInt(size)
                                .putInt(stag)
                                .putLong(offset)
                                .array())
                .opcode(1)
                .queue(1);
    }

    public static Segment readResponse(int stag, long taggedOffset, byte[] payload) {
        return write(stag, taggedOffset, payload).opcode(2);
    }

    /** A FetchAdd with the given message number, which is also its identifier. */
    public static Segment fetchAdd(int msn, int stag, long offset, long add, long mask) {
        return atomic(msn, 0, stag, offset, add, mask, 0, -1);
    }

    public static Segment atomic(
            int msn, int operation, int stag, long offset, long data, long mask, long compare, long compareMask) {
        return send(
                        msn,
                        ByteBuffer.allocate(52)
                                .putInt(operation)
                                .putInt(msn)
                                .putInt(stag)
                                .putLong(offset)
                                .putLong(data)
                                .putLong(mask)
                                .putLong(compare)
                                .putLong(compareMask)
                                .array())
                .opcode(0xa)
                .queue(1);
    }

    public static Segment atomicResponse(int msn, int identifier, long original) {
        return send(
                        msn,
                        ByteBuffer.allocate(12)
                                .putInt(identifier)
                                .putLong(original)
                                .array())
                .opcode(0xb)
                .queue(3);
    }

    public static Segment immediate(int msn, long data) {
        return send(msn, ByteBuffer.allocate(8).putLong(data).array()).opcode(8);
    }

    private Segment copy() {
        try {
            return (Segment) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    public Segment last(boolean value) {
        Segment copy = copy();
        copy.last = value;
        return copy;
    }

    public Segment ddpVersion(int value) {
        Segment copy = copy();
        copy.ddpVersion = value;
        return copy;
    }

    public Segment rdmapVersion(int value) {
        Segment copy = copy();
        copy.control = (copy.control & 0x3f) | (value << 6);
        return copy;
    }

    /** Sets the four reserved bits of DDP. */
    public Segment reservedBits() {
        Segment copy = copy();
        copy.reserved = 0x3c;
        return copy;
    }

    /** The whole byte of RDMAP: version, reserved bits, opcode. */
    public Segment control(int value) {
        Segment copy = copy();
        copy.control = value;
        return copy;
    }

    public Segment opcode(int value) {
        Segment copy = copy();
        copy.control = (copy.control & 0xf0) | value;
        return copy;
    }

    /** The four bytes of an untagged header that DDP carries for RDMAP. */
    public Segment invalidateStag(int value) {
        Segment copy = copy();
        copy.invalidateStag = value;
        return copy;
    }

    public Segment payload(byte... value) {
        Segment copy = copy();
        copy.payload = value;
        return copy;
    }

    public Segment payload(String text) {
        return payload(text.getBytes(StandardCharsets.US_ASCII));
    }

    public byte[] payload() {
        return payload;
    }

    public Segment queue(int value) {
        Segment copy = copy();
        copy.queue = value;
        return copy;
    }

    public Segment offset(long value) {
        Segment copy = copy();
        copy.offset = (int) value;
        return copy;
    }

    /** The DDP header: 14 bytes tagged, 18 untagged. */
    public byte[] header() {
        ByteBuffer header = ByteBuffer.allocate(tagged ? 14 : 18);
        header.put((byte) ((tagged ? 0x80 : 0) | (last ? 0x40 : 0) | reserved | ddpVersion));
        header.put((byte) control);
        if (tagged) {
            header.putInt(stag).putLong(taggedOffset);
        } else {
            header.putInt(invalidateStag).putInt(queue).putInt(msn).putInt(offset);
        }
        return header.array();
    }

    public byte[] ulpdu() {
        return concatenate(header(), payload);
    }

    public byte[] fpdu() {
        return fpdu(ulpdu());
    }

    /** An FPDU without markers, with a good CRC. */
    public static byte[] fpdu(byte[] ulpdu) {
        int pad = -(2 + ulpdu.length) & 3;
        ByteBuffer fpdu = ByteBuffer.allocate(2 + ulpdu.length + pad + 4);
        fpdu.putShort((short) ulpdu.length).put(ulpdu).position(2 + ulpdu.length + pad);
        fpdu.order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc(fpdu.array(), 0, fpdu.position()));
        return fpdu.array();
    }

    public static long crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return crc.getValue();
    }

    public static byte[] concatenate(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
