package io.iwarp.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Captures of a real peer: Linux siw (kernel 6.1) with itself, {@code rping -C 3} with pings of 64 bytes. Each contains
 * Sends, Read Requests and Responses, Writes and an orderly close.
 */
public enum Captures {
    /** MPA revision 2, enhanced set-up (IRD 1, ORD 1), CRC off, no markers. */
    SIW_STANDARD("siw-rping-std.pcap"),
    /** The same with CRC32C on every FPDU. */
    SIW_CRC("siw-rping-crc.pcap"),
    /** Peer-to-peer set-up, ready to receive by a zero-length Write. */
    SIW_PEER_TO_PEER("siw-rping-p2p.pcap");

    private final String file;

    Captures(String file) {
        this.file = file;
    }

    /** Returns the byte streams of both sides. */
    public TcpConversation conversation() {
        try (InputStream in = Captures.class.getResourceAsStream("captures/" + file)) {
            return TcpConversation.ofPcap(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
