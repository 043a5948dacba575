package io.iwarp.fuzz;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/**
 * DDP segments as a peer might send them, nearly right most of the time, in FPDUs without a CRC. Written from the
 * layouts of the RFCs, not with the classes under test.
 */
final class Segments {
    private static final int TAGGED = 0x80;
    private static final int LAST = 0x40;
    private static final int DDP_VERSION = 1;
    private static final int RDMAP_VERSION = 0x40;
    private static final int QUEUES = 4;
    private static final int READ_REQUEST_QUEUE = 1;
    private static final int READ_REQUEST = 28;
    private static final int SOURCE_STAG = 16;
    private static final int ATOMIC_REQUEST_QUEUE = 3;
    private static final int ATOMIC_STAG = 8;
    private static final int MAX_PAYLOAD = 100;

    private Segments() {}

    /** Returns one FPDU with a segment. */
    static byte[] fpdu(FuzzedDataProvider data, FuzzedEnd end) {
        return fpdu(data.consumeBoolean() ? tagged(data, end) : untagged(data, end));
    }

    /** Returns one FPDU with any bytes. */
    static byte[] fpdu(byte[] ulpdu) {
        int padding = -(2 + ulpdu.length) & 3;
        byte[] bytes = new byte[2 + ulpdu.length + padding + 4];
        bytes[0] = (byte) (ulpdu.length >> 8);
        bytes[1] = (byte) ulpdu.length;
        System.arraycopy(ulpdu, 0, bytes, 2, ulpdu.length);
        return bytes;
    }

    private static int control(FuzzedDataProvider data, int usual) {
        return data.consumeInt(0, 15) == 0 ? data.consumeByte() : usual;
    }

    private static void rdmapControl(FuzzedDataProvider data, ByteBuf out) {
        out.writeByte(control(data, RDMAP_VERSION | data.consumeInt(0, 15)));
    }

    private static byte[] tagged(FuzzedDataProvider data, FuzzedEnd end) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(control(data, TAGGED | DDP_VERSION | (data.consumeBoolean() ? LAST : 0)));
        rdmapControl(data, out);
        out.writeInt(end.stag(data));
        out.writeLong(offset(data));
        out.writeBytes(data.consumeBytes(data.consumeInt(0, MAX_PAYLOAD)));
        return ByteBufUtil.getBytes(out);
    }

    private static long offset(FuzzedDataProvider data) {
        return data.consumeInt(0, 7) == 0 ? data.consumeLong() : data.consumeInt(-8, FuzzedEnd.BYTES + 8);
    }

    private static byte[] untagged(FuzzedDataProvider data, FuzzedEnd end) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(control(data, DDP_VERSION | (data.consumeBoolean() ? LAST : 0)));
        rdmapControl(data, out);
        out.writeInt(data.consumeBoolean() ? end.stag(data) : 0);
        int queue = data.consumeInt(0, QUEUES);
        out.writeInt(queue);
        out.writeInt(data.consumeInt(0, 15) == 0 ? data.consumeInt() : data.consumeInt(1, 4));
        out.writeInt(data.consumeInt(0, 7) == 0 ? data.consumeInt() : 0);
        payload(data, end, queue, out);
        return ByteBufUtil.getBytes(out);
    }

    private static void payload(FuzzedDataProvider data, FuzzedEnd end, int queue, ByteBuf out) {
        int start = out.writerIndex();
        if (queue == READ_REQUEST_QUEUE && data.consumeBoolean()) {
            out.writeInt(data.consumeInt()).writeLong(data.consumeLong()).writeInt(data.consumeInt(0, 100));
            out.writeInt(end.stag(data)).writeLong(offset(data));
        } else if (queue == ATOMIC_REQUEST_QUEUE && data.consumeBoolean()) {
            out.writeInt(data.consumeInt(0, 3)).writeInt(data.consumeInt());
            out.writeInt(end.stag(data)).writeLong(offset(data));
            out.writeLong(data.consumeLong()).writeLong(data.consumeLong());
            out.writeLong(data.consumeLong()).writeLong(data.consumeLong());
        } else {
            out.writeBytes(data.consumeBytes(data.consumeInt(0, MAX_PAYLOAD)));
        }
        if (queue == READ_REQUEST_QUEUE && out.writerIndex() - start > READ_REQUEST) {
            out.setInt(start + SOURCE_STAG, end.stag(data));
        }
        if (queue == ATOMIC_REQUEST_QUEUE && out.writerIndex() - start > ATOMIC_STAG + 4) {
            out.setInt(start + ATOMIC_STAG, end.stag(data));
        }
    }
}
