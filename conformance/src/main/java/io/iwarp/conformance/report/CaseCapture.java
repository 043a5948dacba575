package io.iwarp.conformance.report;

import io.iwarp.conformance.wire.Dialogue;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of a case as a capture between two invented addresses. The time of a packet is its number in milliseconds.
 * If a case had several connections, they follow each other on different ports.
 */
public final class CaseCapture {
    private static final int MAX_BYTES = 1400;
    private static final int SUITE_PORT = 50_000;
    private static final int PEER_PORT = 7174;
    private static final byte[] SUITE = {(byte) 192, 0, 2, 1};
    private static final byte[] PEER = {(byte) 192, 0, 2, 2};
    private static final long MICROS_PER_MILLI = 1000;

    private CaseCapture() {}

    /** Writes a capture. */
    public static void write(List<Dialogue.Entry> entries, Path file) throws IOException {
        InetSocketAddress peer = new InetSocketAddress(InetAddress.getByAddress(PEER), PEER_PORT);
        AtomicLong packets = new AtomicLong();
        int connections = 0;
        try (PcapFile pcap = new PcapFile(
                new BufferedOutputStream(Files.newOutputStream(file)),
                () -> packets.getAndIncrement() * MICROS_PER_MILLI)) {
            PcapFile.Connection connection = null;
            for (Dialogue.Entry entry : entries) {
                boolean note = entry.from() == '#';
                boolean connects =
                        note && entry.bytes().length == 0 && entry.text().contains("connect");
                if (connects || (!note && connection == null)) {
                    connections++;
                    connection = pcap.open(
                            new InetSocketAddress(InetAddress.getByAddress(SUITE), SUITE_PORT + connections), peer);
                }
                if (!note && connection != null) {
                    connection.send(entry.from() == '>', entry.bytes(), MAX_BYTES);
                }
            }
        }
    }
}
