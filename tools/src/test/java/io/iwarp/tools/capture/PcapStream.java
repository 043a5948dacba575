package io.iwarp.tools.capture;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One direction of one TCP connection in a pcap file. */
final class PcapStream {
    private static final int MAGIC = 0xa1b2c3d4;
    private static final int GLOBAL_HEADER = 24;
    private static final int LENGTH_OFFSET = 8;
    private static final int PACKET_HEADER = 16;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_HEADER = 20;
    private static final int SYN = 0x02;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int nextSequence;

    /** Reads a file that ends with a whole packet. The directions come in the order in which they were first seen. */
    static List<PcapStream> read(Path file) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file));
        require(in.getInt(0) == MAGIC, "the file begins with the magic number");
        in.position(GLOBAL_HEADER);
        Map<String, PcapStream> streams = new LinkedHashMap<>();
        while (in.hasRemaining()) {
            int length = in.getInt(in.position() + LENGTH_OFFSET);
            addPacket(streams, in.slice(in.position() + PACKET_HEADER, length));
            in.position(in.position() + PACKET_HEADER + length);
        }
        return List.copyOf(streams.values());
    }

    private static void addPacket(Map<String, PcapStream> streams, ByteBuffer packet) {
        int version = packet.get(0) >> 4;
        int header = version == 6 ? IPV6_HEADER : IPV4_HEADER;
        int length = version == 6 ? packet.getShort(4) + IPV6_HEADER : packet.getShort(2);
        require(version == 6 || version == 4, "packets are IP");
        require((length & 0xffff) == packet.limit(), "the packet has the length that its header says");
        ByteBuffer tcp = packet.slice(header, packet.limit() - header);
        String direction = tcp.getShort(0) + " to " + tcp.getShort(2);
        PcapStream stream = streams.computeIfAbsent(direction, fresh -> new PcapStream());
        if ((tcp.get(13) & SYN) != 0) {
            stream.nextSequence = tcp.getInt(4) + 1;
            return;
        }
        byte[] payload = new byte[tcp.limit() - TCP_HEADER];
        tcp.get(TCP_HEADER, payload);
        require(payload.length == 0 || tcp.getInt(4) == stream.nextSequence, "bytes come once and in order");
        stream.nextSequence += payload.length;
        stream.bytes.writeBytes(payload);
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new AssertionError("not so: " + rule);
        }
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    boolean startsWith(byte[] prefix) {
        return Arrays.equals(Arrays.copyOf(bytes(), prefix.length), prefix);
    }
}
