package io.iwarp.spark;

import static io.iwarp.spark.Blocks.content;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.LogCapture;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
    private static final int REJECT = 0x20;
    private static final int TERMINATE = 7;

    @TempDir
    private Path folder;

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.spark");

    private final List<SocketPeer> peers = new ArrayList<>();
    private TwoNodes nodes;

    @BeforeEach
    void publish() throws IOException {
        SparkConf conf = TwoNodes.settings().set("spark.shuffle.iwarp.transport", "nio");
        nodes = new TwoNodes(folder, conf, ByteBufAllocator.DEFAULT);
        nodes.publish(1, 1, 4);
    }

    @AfterEach
    void close() throws IOException {
        for (SocketPeer peer : peers) {
            peer.close();
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
            SocketPeer peer = connect();
            assertThat(peer.asks(guess) & REJECT).isEqualTo(REJECT);
            answers.add(new String(peer.expectPrivateData(), StandardCharsets.UTF_8));
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
            connect().sends("MPA ID ".getBytes(StandardCharsets.US_ASCII));
            connect().sends("\u0016\u0003\u0001 no set-up at all".getBytes(StandardCharsets.US_ASCII));
        }

        assertThatAnHonestExecutorReads();
    }

    @Test
    void anExecutorOfTheApplicationChangesNothingAndReadsOnlyWhatIsPublished() throws IOException {
        RemoteBuffer directory = admission(connect());
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
            SocketPeer peer = connect();
            admission(peer);
            peer.sends(attack);
            assertThat(peer.expectOpcode()).isEqualTo(TERMINATE);
            assertThatAnHonestExecutorReads();
        }
    }

    private SocketPeer connect() throws IOException {
        int port = nodes.addresses.get(TwoNodes.SERVER).port();
        SocketPeer peer = SocketPeer.connectTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        peers.add(peer);
        return peer;
    }

    /** Shows the secret. Returns the directory of the executor. */
    private static RemoteBuffer admission(SocketPeer peer) throws IOException {
        int flags = peer.asks(new Handshake(TwoNodes.SECRET).request(TwoNodes.SERVER));
        assertThat(flags & REJECT).isZero();
        return Handshake.directory(peer.expectPrivateData()).memory();
    }
}
