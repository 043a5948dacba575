package io.iwarp.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;

/** A peer on a raw TCP socket that says what the test wants, and checks what it hears byte by byte. */
public final class SocketPeer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final String REQUEST = "MPA ID Req Frame";
    private static final String REPLY = "MPA ID Rep Frame";
    private static final int MARKERS = 0x80;
    private static final int CRC = 0x40;

    private final Socket socket;
    private final DataInputStream in;

    public SocketPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    public static SocketPeer connectTo(SocketAddress address) throws IOException {
        int port = ((InetSocketAddress) address).getPort();
        return new SocketPeer(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Connects and gets through start-up with CRC on and no markers in what the peer sends. */
    public static SocketPeer established(SocketAddress address) throws IOException {
        SocketPeer peer = connectTo(address);
        assertEquals(CRC, peer.asks() & ~MARKERS, "flags");
        peer.expectPrivateData();
        return peer;
    }

    /** Waits for a connection and gets through start-up as the responder. */
    public static SocketPeer accept(ServerSocket server) throws IOException {
        SocketPeer peer = new SocketPeer(server.accept());
        peer.expectFrame(REQUEST);
        peer.expectPrivateData();
        peer.sends(reply(CRC));
        return peer;
    }

    /** The same on another thread. */
    public static CompletableFuture<SocketPeer> accepting(ServerSocket server) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return accept(server);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** A start-up reply of revision 1 (RFC 5044 section 7.1). */
    public static byte[] reply(int flags) {
        return frame(REPLY, flags);
    }

    private static byte[] frame(String key, int flags, byte... privateData) {
        return ByteBuffer.allocate(20 + privateData.length)
                .put(key.getBytes(StandardCharsets.US_ASCII))
                .put((byte) flags)
                .put((byte) 1)
                .putShort((short) privateData.length)
                .put(privateData)
                .array();
    }

    /**
     * Sends a start-up request and hears all of the reply but its private data.
     *
     * @return the flags of the reply
     */
    public int asks(byte... privateData) throws IOException {
        sends(frame(REQUEST, CRC, privateData));
        return expectFrame(REPLY);
    }

    /** Returns the flags. */
    private int expectFrame(String key) throws IOException {
        assertEquals(key, new String(reads(key.length()), StandardCharsets.US_ASCII));
        int flags = in.readUnsignedByte();
        assertEquals(1, in.readUnsignedByte(), "revision");
        return flags;
    }

    public byte[] expectPrivateData() throws IOException {
        return reads(in.readUnsignedShort());
    }

    public SocketPeer sends(byte[]... bytes) throws IOException {
        socket.getOutputStream().write(Segment.concatenate(bytes));
        return this;
    }

    public SocketPeer sends(Segment... segments) throws IOException {
        return sends(Arrays.stream(segments).map(Segment::fpdu).toArray(byte[][]::new));
    }

    public byte[] reads(int length) throws IOException {
        return in.readNBytes(length);
    }

    /** The next FPDU's ULPDU, its PAD and CRC checked. */
    public byte[] expectUlpdu() throws IOException {
        byte[] ulpdu = reads(in.readUnsignedShort());
        byte[] fpdu = Segment.fpdu(ulpdu);
        HexFormat hex = HexFormat.of();
        int end = 2 + ulpdu.length;
        assertEquals(hex.formatHex(fpdu, end, fpdu.length), hex.formatHex(reads(fpdu.length - end)), "PAD and CRC");
        return ulpdu;
    }

    /** The opcode of the next FPDU. */
    public int expectOpcode() throws IOException {
        return expectUlpdu()[1] & 0xf;
    }

    /** The next message is this Terminate, then comes FIN and nothing else. */
    public void expectTerminate(String content) throws IOException {
        HexFormat hex = HexFormat.of();
        assertEquals(hex.formatHex(Segment.terminate(content).ulpdu()), hex.formatHex(expectUlpdu()));
        expectEnd();
    }

    /** FIN, not RST, and nothing before it. */
    public void expectEnd() throws IOException {
        assertEquals(-1, in.read(), "end of the stream");
    }

    /** Reads until FIN and throws away what comes before it. */
    public void expectAnythingUntilTheEnd() throws IOException {
        in.transferTo(OutputStream.nullOutputStream());
    }

    /** Whether something has come that was not read yet. */
    public boolean hasHeard() throws IOException {
        return in.available() > 0;
    }

    /** Closes this side's half. */
    public void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** Sends RST. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
