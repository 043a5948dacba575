package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.ReadyToReceive;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The enhanced connection set-up, seen by applications and on the wire. */
class EnhancedSetupTest {

    private static final byte[] NOTHING = {};

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void close() {
        loopback.close();
        domain.close();
    }

    private static QueuePairSettings settings(MpaSettings.Builder mpa) {
        return QueuePairSettings.builder().mpa(mpa.build()).build();
    }

    private static void end(QueuePair... queuePairs) throws Exception {
        for (QueuePair queuePair : queuePairs) {
            queuePair.close();
        }
        for (QueuePair queuePair : queuePairs) {
            await(queuePair.closed());
        }
    }

    private CompletableFuture<QueuePair> connect(SocketAddress address, MpaSettings.Builder mpa) {
        IwarpChannelInitializer initializer =
                IwarpChannelInitializer.initiator(domain, settings(mpa), new byte[0], qp -> {});
        return new IwarpConnector(loopback.bootstrap(), initializer).connect(address);
    }

    @ParameterizedTest
    @EnumSource(ReadyToReceive.class)
    @Requirement({"SETUP-6", "SETUP-15", "SETUP-17", "SETUP-18", "SETUP-20", "SETUP-28", "MPA-72"})
    void inThePeerToPeerModelTheResponderMaySendFirst(ReadyToReceive kind) throws Exception {
        ByteBuf inbox = Unpooled.buffer(8);
        ByteBuf second = Unpooled.buffer(8);
        CompletableFuture<CompletableFuture<Completion>> receivedSecond = new CompletableFuture<>();
        SocketAddress address = loopback.accept(domain, settings(MpaSettings.builder()), qp -> {
            receivedSecond.complete(qp.receive(second));
            qp.send(Unpooled.copyInt(1));
        });
        CompletableFuture<CompletableFuture<Completion>> received = new CompletableFuture<>();
        QueuePair initiator = loopback.connect(
                address,
                domain,
                settings(MpaSettings.builder().peerToPeer(true).readyToReceive(Set.of(kind))),
                qp -> received.complete(qp.receive(inbox)));
        assertThat(await(await(received)).bytes()).isEqualTo(4);
        await(initiator.send(Unpooled.copyShort(2)));
        assertThat(await(await(receivedSecond)).bytes())
                .as("the first Send that the application hears of")
                .isEqualTo(2);
        QueuePair responder = loopback.nextAccepted();
        assertThat(initiator.parameters().peerToPeer()).isTrue();
        assertThat(responder.parameters().readyToReceiveKinds()).containsExactly(kind);
        ByteBuf nothing = Unpooled.buffer(0);
        assertThat(await(initiator.read(nothing, new RemoteBuffer(0, 0, 0))).bytes())
                .isZero();
        end(initiator, responder);
    }

    @ParameterizedTest
    @CsvSource({
        // our IRD and ORD, the responder's, what the initiator and the responder then have
        "16, 16, 16, 16, 16, 16, 16, 16",
        "4, 8, 2, 16, 4, 2, 2, 4",
        "1, 0, 5, 3, 1, 0, 0, 1",
        "0, 7, 7, 9, 0, 7, 7, 0"
    })
    @Requirement({"SETUP-7", "SETUP-8", "SETUP-9", "SETUP-11", "RDMAP-72"})
    void eachEndHasAtMostAsManyReadsOutstandingAsTheOtherTakes(
            int ird,
            int ord,
            int theirIrd,
            int theirOrd,
            int initiatorIrd,
            int initiatorOrd,
            int responderIrd,
            int responderOrd)
            throws Exception {
        SocketAddress address = loopback.accept(
                domain, settings(MpaSettings.builder().ird(theirIrd).ord(theirOrd)), qp -> {});
        QueuePair initiator = await(
                connect(address, MpaSettings.builder().enhanced(true).ird(ird).ord(ord)));
        QueuePair responder = loopback.nextAccepted();
        end(initiator, responder);
        assertThat(initiator.parameters().ird()).isEqualTo(initiatorIrd);
        assertThat(initiator.parameters().ord()).isEqualTo(initiatorOrd);
        assertThat(responder.parameters().ird()).isEqualTo(responderIrd);
        assertThat(responder.parameters().ord()).isEqualTo(responderOrd);
        assertThat(responder.parameters().peerIrd()).isEqualTo(ird);
        assertThat(responder.parameters().peerOrd()).isEqualTo(ord);
        assertThat(initiator.parameters().peerIrd()).isEqualTo(responderIrd);
        assertThat(initiator.parameters().peerOrd()).isEqualTo(responderOrd);
    }

    @Test
    @Requirement({"SETUP-7", "SETUP-10"})
    void aResponderThatNeedsMoreReadsSaysSoInItsRejection() throws Exception {
        SocketAddress address = loopback.listen(domain, QueuePairSettings.DEFAULT, request -> {
            assertThat(request.peerIrd()).hasValue(3);
            assertThat(request.peerOrd()).hasValue(5);
            request.reject(new byte[] {7}, 9);
        });
        ExecutionException failure = catchThrowableOfType(
                ExecutionException.class,
                () -> await(connect(
                        address, MpaSettings.builder().enhanced(true).ird(3).ord(5))));
        assertThat(failure).hasCauseInstanceOf(ConnectionRejectedException.class);
        ConnectionRejectedException rejected = (ConnectionRejectedException) failure.getCause();
        assertThat(rejected.peerOrd()).hasValue(9);
        assertThat(rejected.peerIrd()).hasValue(5);
        assertThat(rejected.privateData()).containsExactly(7);
    }

    @ParameterizedTest
    @CsvSource({
        // set-up data of the request; of the reply
        "00100010, 00100010",
        "3fff3fff, 3fff3fff",
        "3fff0004, 00043fff",
        "00043fff, 3fff0004",
        "80000000, c001c000",
        "80004000, 80014000",
        "c0008000, c0008000",
        "4000c000, 00000000"
    })
    @Requirement({
        "SETUP-5",
        "SETUP-8",
        "SETUP-13",
        "SETUP-14",
        "SETUP-16",
        "SETUP-17",
        "SETUP-18",
        "SETUP-19",
        "SETUP-23"
    })
    void aResponderRepliesByteForByte(String asked, String replied) throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        try (SocketPeer peer = SocketPeer.connectTo(address)) {
            peer.sends(SimulatedPeer.frame(SimulatedPeer.REQUEST_KEY, "50020004", asked));
            assertThat(peer.reads(24)).isEqualTo(SimulatedPeer.frame(SimulatedPeer.REPLY_KEY, "50020004", replied));
        }
        await(loopback.nextAccepted().closed());
    }

    @Test
    @Requirement({"SETUP-9", "SETUP-20"})
    void aReadAsReadyToReceiveMessageGetsItsPlaceWhereNoOtherDoes() throws Exception {
        SocketAddress address =
                loopback.accept(domain, settings(MpaSettings.builder().ird(0)), qp -> {});
        try (SocketPeer peer = SocketPeer.connectTo(address)) {
            peer.sends(SimulatedPeer.frame(SimulatedPeer.REQUEST_KEY, "50020004", "80004000"));
            assertThat(peer.reads(24)).isEqualTo(SimulatedPeer.frame(SimulatedPeer.REPLY_KEY, "50020004", "80014000"));
            peer.sends(Segment.readRequest(1, 0, 0, 0, 1, 0));
            assertThat(peer.expectUlpdu())
                    .isEqualTo(Segment.readResponse(0, 0, new byte[0]).ulpdu());
        }
        await(loopback.nextAccepted().closed());
    }

    static Stream<Arguments> readyToReceive() {
        return Stream.of(
                Arguments.of(ReadyToReceive.SEND, "c0100010", Segment.send(1, NOTHING)),
                Arguments.of(ReadyToReceive.WRITE, "80108010", Segment.write(1, 0, NOTHING)),
                Arguments.of(ReadyToReceive.READ, "80104010", Segment.readRequest(1, 1, 0, 0, 1, 0)));
    }

    @ParameterizedTest
    @MethodSource("readyToReceive")
    @Requirement({"SETUP-6", "SETUP-20", "SETUP-28"})
    void earlyPostsFollowTheReadyToReceiveMessage(ReadyToReceive kind, String setup, Segment first) {
        List<String> completed = new ArrayList<>();
        MpaSettings.Builder mpa = MpaSettings.builder().peerToPeer(true).readyToReceive(Set.of(kind));
        ByteBuf oneByte = Unpooled.directBuffer(1, 1).writeByte(7);
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, settings(mpa), setup, qp -> {
            qp.setCompletionListener((same, completion) -> completed.add(completion.toString()));
            qp.sendQueue().send(11, oneByte, PostOptions.NONE);
            qp.sendQueue().write(12, oneByte, new RemoteBuffer(0x1234, 0, 1), PostOptions.NONE);
        })) {
            assertThat(peer.hears()).isEqualTo(first.ulpdu());
            int msn = kind == ReadyToReceive.SEND ? 2 : 1;
            assertThat(peer.hears()).isEqualTo(Segment.send(msn, new byte[] {7}).ulpdu());
            assertThat(peer.hears())
                    .isEqualTo(Segment.write(0x1234, 0, new byte[] {7}).ulpdu());
            assertThat(peer.hearsNothing()).isTrue();
            if (kind == ReadyToReceive.READ) {
                peer.sends(Segment.readResponse(1, 0, NOTHING));
            }
            assertThat(completed).containsExactly("SEND 11, 1 bytes", "WRITE 12, 1 bytes");
            assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
        }
        oneByte.release();
    }

    /** What the peer sends first, and how long the messages are that the application gets of it. */
    static Stream<Arguments> firstMessages() {
        Segment empty = Segment.send(1, NOTHING);
        Segment two = Segment.send(1, new byte[2]);
        Segment write = Segment.write(0, 0, NOTHING);
        return Stream.of(
                Arguments.of("an empty Send", List.of(empty), List.of()),
                Arguments.of("two empty Sends", List.of(empty, Segment.send(2, NOTHING)), List.of(0L)),
                Arguments.of("an empty Write and an empty Send", List.of(write, empty), List.of(0L)),
                Arguments.of("a Send with payload", List.of(two), List.of(2L)),
                Arguments.of(
                        "a Send with payload, then an empty one",
                        List.of(two, Segment.send(2, NOTHING)),
                        List.of(2L, 0L)),
                Arguments.of(
                        "a Send in two segments, the first of them empty",
                        List.of(empty.last(false), two),
                        List.of(2L)),
                Arguments.of("an empty Send with Solicited Event", List.of(empty.opcode(5)), List.of(0L)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("firstMessages")
    @Requirement({"SETUP-20", "SETUP-28"})
    void onlyAFirstEmptySendIsTheReadyToReceiveMessage(String name, List<Segment> sent, List<Long> received) {
        List<Long> completed = new ArrayList<>();
        ByteBuf inbox = Unpooled.directBuffer(8, 8);
        try (SimulatedPeer peer = SimulatedPeer.ofResponder(domain, QueuePairSettings.DEFAULT, "c0108010", qp -> {
            qp.setCompletionListener((same, completion) -> completed.add(completion.bytes()));
            qp.receiveQueue().receive(1, inbox);
            qp.receiveQueue().receive(2, inbox.slice());
        })) {
            peer.sends(sent.toArray(new Segment[0]));
            assertThat(completed).isEqualTo(received);
            assertThat(peer.queuePair().state()).isEqualTo(ConnectionState.READY);
        }
        inbox.release();
    }

    @ParameterizedTest
    @CsvSource({
        // reply to a request for 16 and 16, peer-to-peer with a Write only; the Terminate
        "00103ffe, 2006, MPA_INSUFFICIENT_IRD",
        "00100011, 2006, MPA_INSUFFICIENT_IRD",
        "80104010, 2007, MPA_NO_MATCHING_RTR",
        "c0100010, 2007, MPA_NO_MATCHING_RTR"
    })
    @Requirement({"SETUP-12", "SETUP-21", "RDMAP-57"})
    void anInitiatorThatCannotUseTheReplySaysWhyInItsFirstFpdu(String reply, String code, ProtocolError error)
            throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<QueuePair> connecting = connect(
                    server.getLocalSocketAddress(),
                    MpaSettings.builder()
                            .ird(16)
                            .ord(16)
                            .peerToPeer(true)
                            .readyToReceive(Set.of(ReadyToReceive.WRITE)));
            try (SocketPeer peer = new SocketPeer(server.accept())) {
                assertThat(peer.reads(24))
                        .isEqualTo(SimulatedPeer.frame(SimulatedPeer.REQUEST_KEY, "50020004", "80108010"));
                peer.sends(SimulatedPeer.frame(SimulatedPeer.REPLY_KEY, "50020004", reply));
                peer.expectTerminate(code + "0000");
            }
            ExecutionException failure = catchThrowableOfType(ExecutionException.class, () -> await(connecting));
            CloseReason reason = ((ConnectionClosedException) failure.getCause()).reason();
            assertThat(reason.error()).isEqualTo(error);
            assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        }
    }

    @Test
    @Requirement({"SETUP-25", "SETUP-26", "SETUP-24"})
    void aPeerThatClosesOnTheEnhancedRequestIsAskedAgainPlainly() throws Exception {
        SocketAddress address =
                loopback.accept(domain, settings(MpaSettings.builder().revision(1)), qp -> {});
        QueuePair initiator =
                await(connect(address, MpaSettings.builder().enhanced(true).ord(3)));
        assertThat(initiator.parameters().enhanced()).isFalse();
        assertThat(initiator.parameters().revision()).isEqualTo(1);
        assertThat(initiator.parameters().ord()).isEqualTo(3);
        end(initiator, loopback.nextAccepted());
    }

    @Test
    @Requirement("SETUP-26")
    void aPeerThatClosesTwiceIsNotAskedForever() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
            CompletableFuture<QueuePair> connecting = connect(
                    server.getLocalSocketAddress(), MpaSettings.builder().enhanced(true));
            readFrameAndClose(server, 24);
            readFrameAndClose(server, 20);
            assertThat(catchThrowableOfType(ExecutionException.class, () -> await(connecting)))
                    .hasMessageContaining("the peer closed");
        }
    }

    private static void readFrameAndClose(ServerSocket server, int length) throws IOException {
        try (Socket socket = server.accept()) {
            assertThat(socket.getInputStream().readNBytes(length)).hasSize(length);
        }
    }
}
