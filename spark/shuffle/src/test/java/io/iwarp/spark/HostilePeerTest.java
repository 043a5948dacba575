package io.iwarp.spark;

import static io.iwarp.spark.Blocks.content;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Counter;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.LogCapture;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.iwarp.verbs.ConnectionRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
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
import java.util.function.BiConsumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Attacks of a raw client on an executor, over TCP; an honest executor then still reads. */
@Tag("attack")
class HostilePeerTest {
    private static final String BLOCK = "shuffle_1_1_0";
    private static final int SLOTS = 64;
    private static final int HELLO = 7;
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
        nodes = new TwoNodes(folder);
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
    void aPeerWithoutTheSecretLearnsNothing() throws IOException {
        byte[] known = proof(TwoNodes.SERVER);
        byte[] wrong = known.clone();
        wrong[wrong.length - 1] ^= 1;
        List<byte[]> guesses = List.of(
                new byte[0],
                "GET / HTTP/1.0\r\nforged line of the log\r\n".getBytes(StandardCharsets.US_ASCII),
                Arrays.copyOf(known, 7),
                wrong,
                proof(TwoNodes.CLIENT),
                // It repeats what an executor sent.
                admitted(known));

        Set<String> replies = new HashSet<>();
        for (byte[] guess : guesses) {
            SocketPeer peer = connect();
            assertThat(peer.asks(guess) & REJECT).isEqualTo(REJECT);
            replies.add(new String(peer.expectPrivateData(), StandardCharsets.UTF_8));
        }

        assertThat(replies).containsExactly(Handshake.REJECTED);
        // Each reason once: a peer must not fill the log.
        assertThat(log.messages())
                .hasSize(4)
                .doesNotHaveDuplicates()
                .allMatch(line -> line.startsWith("Rejected a connection of /127.0.0.1"))
                .noneMatch(line -> line.contains("forged") || line.contains("\n"));
        assertThat(nodes.serverMetrics.counter("rejectedConnections").getCount())
                .isEqualTo(guesses.size());
        assertThatAnHonestExecutorReads();
    }

    @Test
    void invalidSetUpsDoNotHarmOthers() throws IOException {
        for (int i = 0; i < 50; i++) {
            connect().sends("MPA ID ".getBytes(StandardCharsets.US_ASCII));
            connect().sends("\u0016\u0003\u0001 no set-up at all".getBytes(StandardCharsets.US_ASCII));
        }

        Counter rejected = nodes.serverMetrics.counter("rejectedConnections");
        Awaitility.await().until(() -> rejected.getCount() == 50);
        assertThat(log.messages()).singleElement().asString().contains("/127.0.0.1", "no valid connection request");
        assertThatAnHonestExecutorReads();
    }

    @Test
    void executorReadsOnlyPublishedBlocks() throws IOException {
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

    /** A listener at the port of an executor that has ended: its directory, slot, index and checksums are right. */
    @Test
    void aListenerWithoutTheSecretDeliversNoBlock() throws IOException {
        byte[] challenge = challenge();
        byte[] recorded = acceptance(proof(TwoNodes.SERVER));
        Handshake ofAnother = TwoNodes.handshake(Handshake.newSecret(), TwoNodes.SERVER);
        assertThatNothingIsRead("without a proof", (request, directory) -> request.accept(recorded));
        assertThatNothingIsRead(
                "no executor", (request, directory) -> request.reject("busy".getBytes(StandardCharsets.US_ASCII)));
        assertThatNothingIsRead(
                "does not prove",
                afterChallenge(challenge, (request, directory) -> forged(directory, new byte[Hmac.LENGTH])));
        // It reflects the code of the initiator.
        assertThatNothingIsRead(
                "does not prove",
                afterChallenge(
                        challenge, (request, directory) -> forged(directory, Arrays.copyOfRange(request, 95, 127))));
        // It repeats what an executor sent.
        assertThatNothingIsRead("does not prove", afterChallenge(challenge, (request, directory) -> recorded));
        // It has the secret of another application.
        assertThatNothingIsRead("does not prove", afterChallenge(challenge, (request, directory) -> {
            Handshake.Initiation own = ofAnother.initiate(TwoNodes.SERVER);
            byte[] rejection = ofAnother.judge(own.hello(), directory, SLOTS).reply();
            return ofAnother.judge(own.proof(rejection), directory, SLOTS).reply();
        }));
    }

    /** The acceptance of a listener, after the challenge. */
    private interface Forgery {
        byte[] acceptance(byte[] request, RemoteBuffer directory);
    }

    private static BiConsumer<ConnectionRequest, RemoteBuffer> afterChallenge(byte[] challenge, Forgery forgery) {
        return (request, directory) -> {
            byte[] asked = request.privateData();
            if (asked.length == HELLO) {
                request.reject(challenge);
            } else {
                request.accept(forgery.acceptance(asked, directory));
            }
        };
    }

    private static byte[] forged(RemoteBuffer directory, byte[] code) {
        ByteBuf out = Unpooled.buffer()
                .writeInt(0x4957_5350)
                .writeShort(3)
                .writeByte(3)
                .writeInt(SLOTS);
        directory.encode(out);
        return ByteBufUtil.getBytes(out.writeBytes(code));
    }

    private void assertThatNothingIsRead(String reason, BiConsumer<ConnectionRequest, RemoteBuffer> reply)
            throws IOException {
        try (ForgedExecutor forger = new ForgedExecutor(TwoNodes.settings(), reply);
                ShuffleNode victim = nodes.executor(TwoNodes.SECRET, "5", null)) {
            forger.publish(folder, new MapKey(1, 1), "forged".getBytes(StandardCharsets.US_ASCII));
            nodes.addresses.put(TwoNodes.SERVER, forger.address);

            assertThat(nodes.fetch(victim, BLOCK).arrived).containsEntry(BLOCK, FakeSpark.CONTENT);
            assertThat(victim.metrics().failedConnections.getCount()).isEqualTo(1);
            assertThat(log.messages())
                    .filteredOn(line -> line.startsWith("Could not connect to executor 1"))
                    .last()
                    .asString()
                    .contains(reason);
        }
    }

    private SocketPeer connect() throws IOException {
        int port = nodes.addresses.get(TwoNodes.SERVER).port();
        SocketPeer peer = SocketPeer.connectTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        peers.add(peer);
        return peer;
    }

    /** Proves knowledge of the secret. Returns the directory of the executor. */
    private RemoteBuffer admission(SocketPeer peer) throws IOException {
        Handshake.Initiation initiation =
                TwoNodes.handshake(TwoNodes.SECRET, TwoNodes.CLIENT).initiate(TwoNodes.SERVER);
        int flags = peer.asks(initiation.proof(challenge()));
        assertThat(flags & REJECT).isZero();
        return initiation.directory(peer.expectPrivateData()).memory();
    }

    /** Returns a proof for an executor, with a challenge of the server. */
    private byte[] proof(String executor) throws IOException {
        return TwoNodes.handshake(TwoNodes.SECRET, TwoNodes.CLIENT)
                .initiate(executor)
                .proof(challenge());
    }

    private byte[] challenge() throws IOException {
        SocketPeer peer = connect();
        byte[] hello = TwoNodes.handshake(TwoNodes.SECRET, TwoNodes.CLIENT)
                .initiate(TwoNodes.SERVER)
                .hello();
        assertThat(peer.asks(hello) & REJECT).isEqualTo(REJECT);
        return peer.expectPrivateData();
    }

    /** Returns the proof, which the server has accepted. */
    private byte[] admitted(byte[] proof) throws IOException {
        acceptance(proof);
        return proof;
    }

    private byte[] acceptance(byte[] proof) throws IOException {
        SocketPeer peer = connect();
        assertThat(peer.asks(proof) & REJECT).isZero();
        return peer.expectPrivateData();
    }
}
