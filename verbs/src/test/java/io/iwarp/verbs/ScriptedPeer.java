package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Segment;
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
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;

/** A peer on a raw TCP socket that says what the test wants, and checks what it hears byte by byte. */
final class ScriptedPeer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int MARKERS = 0x80;
    private static final int CRC = 0x40;

    private final Socket socket;
    private final DataInputStream in;

    ScriptedPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    static ScriptedPeer connectTo(SocketAddress address) throws IOException {
        int port = ((InetSocketAddress) address).getPort();
        return new ScriptedPeer(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Connects and gets through start-up with CRC on and no markers in what the peer sends. */
    static ScriptedPeer established(SocketAddress address) throws IOException {
        ScriptedPeer peer = connectTo(address);
        peer.sends(startupFrame("MPA ID Req Frame", CRC));
        peer.expectReply();
        return peer;
    }

    /** Waits for a connection and gets through start-up as the responder. */
    static CompletableFuture<ScriptedPeer> accepting(ServerSocket server) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                ScriptedPeer peer = new ScriptedPeer(server.accept());
                peer.expectRequest();
                peer.sends(startupFrame("MPA ID Rep Frame", CRC));
                return peer;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void expectRequest() throws IOException {
        byte[] request = in.readNBytes(20);
        assertThat(new String(request, 0, 16, StandardCharsets.US_ASCII)).isEqualTo("MPA ID Req Frame");
        in.readNBytes(ByteBuffer.wrap(request).getShort(18));
    }

    static byte[] startupFrame(String key, int flags) {
        return ByteBuffer.allocate(20)
                .put(key.getBytes(StandardCharsets.US_ASCII))
                .put((byte) flags)
                .put((byte) 1)
                .putShort((short) 0)
                .array();
    }

    ScriptedPeer sends(byte[]... bytes) throws IOException {
        socket.getOutputStream().write(Segment.concatenate(bytes));
        return this;
    }

    ScriptedPeer sends(Segment... segments) throws IOException {
        byte[][] fpdus = new byte[segments.length][];
        for (int i = 0; i < segments.length; i++) {
            fpdus[i] = segments[i].fpdu();
        }
        return sends(fpdus);
    }

    byte[] reads(int length) throws IOException {
        return in.readNBytes(length);
    }

    void expectReply() throws IOException {
        byte[] reply = in.readNBytes(20);
        assertThat(new String(reply, 0, 16, StandardCharsets.US_ASCII)).isEqualTo("MPA ID Rep Frame");
        assertThat(reply[16] & 0xff & ~MARKERS).isEqualTo(CRC);
        assertThat(reply[17]).isEqualTo((byte) 1);
        in.readNBytes(ByteBuffer.wrap(reply).getShort(18));
    }

    /** The next FPDU's ULPDU, its PAD and CRC checked. */
    byte[] expectUlpdu() throws IOException {
        int length = in.readUnsignedShort();
        byte[] fpdu = new byte[2 + length + (-(2 + length) & 3)];
        ByteBuffer.wrap(fpdu).putShort((short) length);
        in.readFully(fpdu, 2, fpdu.length - 2);
        for (int i = 2 + length; i < fpdu.length; i++) {
            assertThat(fpdu[i]).as("PAD").isZero();
        }
        byte[] crc = in.readNBytes(4);
        assertThat(ByteBuffer.wrap(crc).order(ByteOrder.LITTLE_ENDIAN).getInt())
                .as("CRC")
                .isEqualTo((int) Segment.crc(fpdu, 0, fpdu.length));
        byte[] ulpdu = new byte[length];
        System.arraycopy(fpdu, 2, ulpdu, 0, length);
        return ulpdu;
    }

    /** The opcode of the next FPDU. */
    int expectOpcode() throws IOException {
        return expectUlpdu()[1] & 0xf;
    }

    /** The next message is this Terminate, then comes FIN and nothing else. */
    void expectTerminate(String content) throws IOException {
        String expected = "41470000000000000002000000010000" + "0000" + content.replace(" ", "");
        assertThat(HexFormat.of().formatHex(expectUlpdu())).isEqualTo(expected);
        expectEnd();
    }

    /** FIN, not RST, and nothing before it. */
    void expectEnd() throws IOException {
        assertThat(in.read()).as("end of the stream").isEqualTo(-1);
    }

    /** Reads until FIN and throws away what comes before it. */
    void expectAnythingUntilTheEnd() throws IOException {
        in.transferTo(OutputStream.nullOutputStream());
    }

    /** Whether something has come that was not read yet. */
    boolean hasHeard() throws IOException {
        return in.available() > 0;
    }

    /** Closes this side's half. */
    void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** Sends RST. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
