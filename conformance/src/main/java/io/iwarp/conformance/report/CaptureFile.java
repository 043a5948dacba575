package io.iwarp.conformance.report;

import io.iwarp.conformance.wire.Dialogue;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The bytes of a case as a capture of one TCP connection between two invented addresses. The time of a packet is its
 * number in milliseconds. If a case had several connections, they follow each other on different ports.
 */
public final class CaptureFile {
    private static final int MAGIC = 0xA1B2C3D4;
    private static final int RAW_IP = 101;
    private static final int SNAP_LENGTH = 1 << 18;
    private static final int HEADERS = 40;
    private static final int MOST_BYTES = 1400;
    private static final int SUITE_PORT = 50_000;
    private static final int PEER_PORT = 7174;
    private static final int SUITE = 0xC000_0201;
    private static final int PEER = 0xC000_0202;
    private static final int SYN = 0x02;
    private static final int ACK = 0x10;
    private static final int PUSH = 0x18;

    private final DataOutputStream out;
    private final int[] next = new int[2];
    private int packets;
    private int connection;

    private CaptureFile(DataOutputStream out) {
        this.out = out;
    }

    /** Writes a capture. */
    public static void write(List<Dialogue.Entry> entries, Path file) throws IOException {
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
            out.writeInt(MAGIC);
            out.writeShort(2);
            out.writeShort(4);
            out.writeInt(0);
            out.writeInt(0);
            out.writeInt(SNAP_LENGTH);
            out.writeInt(RAW_IP);
            CaptureFile capture = new CaptureFile(out);
            for (Dialogue.Entry entry : entries) {
                capture.add(entry);
            }
        }
    }

    private void add(Dialogue.Entry entry) throws IOException {
        if (entry.from() == '#') {
            if (entry.bytes().length == 0 && entry.text().contains("connect")) {
                open();
            }
            return;
        }
        byte[] bytes = entry.bytes();
        int sender = entry.from() == '>' ? 0 : 1;
        for (int from = 0; from < bytes.length; from += MOST_BYTES) {
            packet(sender, PUSH, bytes, from, Math.min(MOST_BYTES, bytes.length - from));
        }
    }

    private void open() throws IOException {
        connection++;
        next[0] = 0;
        next[1] = 0;
        packet(0, SYN, new byte[0], 0, 0);
        next[0] = 1;
        packet(1, SYN | ACK, new byte[0], 0, 0);
        next[1] = 1;
        packet(0, ACK, new byte[0], 0, 0);
    }

    private void packet(int sender, int flags, byte[] bytes, int from, int length) throws IOException {
        out.writeInt(packets / 1000);
        out.writeInt(packets % 1000 * 1000);
        packets++;
        out.writeInt(HEADERS + length);
        out.writeInt(HEADERS + length);
        ByteBuffer ip = ByteBuffer.allocate(HEADERS / 2);
        ip.put((byte) 0x45).put((byte) 0).putShort((short) (HEADERS + length)).putInt(0x4000);
        ip.put((byte) 64).put((byte) 6).putShort((short) 0).putInt(sender == 0 ? SUITE : PEER);
        ip.putInt(sender == 0 ? PEER : SUITE);
        ip.putShort(10, checksum(ip.array()));
        out.write(ip.array());
        int suitePort = SUITE_PORT + connection;
        out.writeShort(sender == 0 ? suitePort : PEER_PORT);
        out.writeShort(sender == 0 ? PEER_PORT : suitePort);
        out.writeInt(next[sender]);
        out.writeInt(next[1 - sender]);
        out.writeByte(0x50);
        out.writeByte(flags);
        out.writeShort(0xFFFF);
        out.writeInt(0);
        out.write(bytes, from, length);
        next[sender] += length;
    }

    private static short checksum(byte[] header) {
        ByteBuffer words = ByteBuffer.wrap(header);
        int sum = 0;
        while (words.remaining() >= Short.BYTES) {
            sum += words.getShort() & 0xFFFF;
        }
        while (sum >> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        return (short) ~sum;
    }
}
