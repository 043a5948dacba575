package io.iwarp.spark;

import static io.iwarp.spark.Blocks.content;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.LogCapture;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a raw client does to an executor, over TCP, and what the next honest executor then sees. */
class HostilePeerTest {
    private static final String BLOCK = "shuffle_1_1_0";
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int FLAGS_AT = 16;
    private static final byte CRC = 0x40;
    private static final byte REJECT = 0x20;
    private static final int TERMINATE = 7;

    @TempDir
    private Path folder;

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.spark");

    private final List<RawPeer> peers = new ArrayList<>();
    private TwoNodes nodes;

    @BeforeEach
    void publish() throws IOException {
        SparkConf conf = TwoNodes.settings().set("spark.shuffle.iwarp.transport", "nio");
        nodes = new TwoNodes(folder, conf, ByteBufAllocator.DEFAULT);
        nodes.publish(1, 1, 4);
    }

    @AfterEach
    void close() throws IOException {
        for (RawPeer peer : peers) {
            peer.socket.close();
        }
        nodes.close();
    }

    private void assertThatAnHonestExecutorReads() {
        assertThat(nodes.fetch(BLOCK).arrived).containsEntry(BLOCK, content(1, 1, 0, 4));
        assertThat(nodes.spark.calls).isEmpty();
    }

    @Test
    void whoDoesNotKnowTheSecretLearnsNothing() throws IOException {
        byte[] known = new Handshake(TwoNodes.SECRET).request(TwoNodes.SERVER);
        byte[] wrong = known.clone();
        wrong[wrong.length - 1] ^= 1;
        byte[] oldVersion = known.clone();
        oldVersion[5] = 1;
        List<byte[]> guesses = List.of(
                new byte[0],
                "GET / HTTP/1.0\r\nforged line of the log\r\n".getBytes(StandardCharsets.US_ASCII),
                Arrays.copyOf(known, 6),
                oldVersion,
                wrong,
                new Handshake(Handshake.newSecret()).request(TwoNodes.SERVER),
                new Handshake(TwoNodes.SECRET).request(TwoNodes.CLIENT));

        Set<String> answers = new HashSet<>();
        for (byte[] guess : guesses) {
            RawPeer peer = new RawPeer();
            byte[] answer = peer.setUp(guess);
            assertThat(peer.flags & REJECT).isEqualTo(REJECT);
            answers.add(new String(answer, StandardCharsets.UTF_8));
        }

        assertThat(answers).containsExactly(Handshake.REJECTED);
        assertThat(log.messages())
                .hasSize(guesses.size())
                .allMatch(line -> line.startsWith("Rejected a connection of /127.0.0.1"))
                .noneMatch(line -> line.contains("forged") || line.contains("\n"));
        assertThatAnHonestExecutorReads();
    }

    @Test
    void whatIsNoSetUpOrBeginsOneEndsNothingOfOthers() throws IOException {
        for (int i = 0; i < 50; i++) {
            new RawPeer().send("MPA ID ".getBytes(StandardCharsets.US_ASCII));
            new RawPeer().send("\u0016\u0003\u0001 no set-up at all".getBytes(StandardCharsets.US_ASCII));
        }

        assertThatAnHonestExecutorReads();
    }

    @Test
    void anExecutorOfTheApplicationChangesNothingAndReadsOnlyWhatIsPublished() throws IOException {
        RemoteBuffer directory = admitted().directory;
        int stag = directory.stag();
        long start = directory.taggedOffset();
        List<Segment> attacks = List.of(
                Segment.write(stag, start, new byte[MapSlot.LENGTH]),
                Segment.fetchAdd(1, stag, start, 1, -1),
                Segment.readRequest(1, 1, 0, 64, stag, start + directory.length() - 63),
                Segment.readRequest(1, 1, 0, 64, stag, start - 1),
                Segment.readRequest(1, 1, 0, 64, stag + 1, start),
                Segment.send(1, new byte[100]).payload(new byte[60_000]));

        for (Segment attack : attacks) {
            RawPeer peer = admitted();
            peer.send(attack.fpdu());
            assertThat(peer.opcode()).isEqualTo(TERMINATE);
            assertThatAnHonestExecutorReads();
        }
    }

    private RawPeer admitted() throws IOException {
        RawPeer peer = new RawPeer();
        byte[] acceptance = peer.setUp(new Handshake(TwoNodes.SECRET).request(TwoNodes.SERVER));
        assertThat(peer.flags & REJECT).isZero();
        peer.directory = Handshake.directory(acceptance).memory();
        return peer;
    }

    /** A client that says what it likes. */
    private final class RawPeer {
        private final Socket socket;
        private final DataInputStream in;
        private byte flags;
        private RemoteBuffer directory = RemoteBuffer.decode(Unpooled.buffer().writeZero(RemoteBuffer.ENCODED_LENGTH));

        RawPeer() throws IOException {
            int port = nodes.addresses.get(TwoNodes.SERVER).port();
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            peers.add(this);
            socket.setSoTimeout(PATIENCE_MILLIS);
            in = new DataInputStream(socket.getInputStream());
        }

        void send(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }

        /** Sends an MPA request frame (RFC 5044 section 7.1). Returns the private data of the reply. */
        byte[] setUp(byte[] privateData) throws IOException {
            send(Segment.concatenate(
                    "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII),
                    new byte[] {CRC, 1, 0, (byte) privateData.length},
                    privateData));
            byte[] header = in.readNBytes(FLAGS_AT + 2);
            flags = header[FLAGS_AT];
            return in.readNBytes(in.readUnsignedShort());
        }

        /** Returns the opcode of the next FPDU. */
        int opcode() throws IOException {
            in.readUnsignedShort();
            in.readByte();
            return in.readByte() & 0xf;
        }
    }
}
