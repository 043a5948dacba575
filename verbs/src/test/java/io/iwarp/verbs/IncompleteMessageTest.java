package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A peer sees nothing of what a receive buffer held before, whatever segments it sends. */
class IncompleteMessageTest {
    private enum Kind {
        POSTED,
        SHARED,
        MANAGED
    }

    private static final int ROOM = 64;
    private static final int DEPTH = 4;
    private static final String SECRET = "a secret of another client, of exactly sixty-four characters!!..";

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final SharedReceiveQueue shared = SharedReceiveQueue.create(DEPTH, DEPTH);
    private final List<ByteBuf> buffers = new ArrayList<>();
    private final List<byte[]> delivered = new ArrayList<>();

    @AfterEach
    void release() {
        shared.close();
        domain.close();
        assertThat(buffers).allMatch(ByteBuf::release);
    }

    private SimulatedPeer peer(Kind kind) {
        QueuePairSettings.Builder settings =
                QueuePairSettings.builder().managedReceiveBytes(kind == Kind.MANAGED ? ROOM : 0);
        if (kind != Kind.SHARED) {
            settings.receiveQueueDepth(DEPTH);
        }
        return SimulatedPeer.ofResponder(domain, settings.build(), queuePair -> {
            if (kind == Kind.SHARED) {
                queuePair.setSharedReceiveQueue(shared);
            }
            queuePair.setCompletionListener(this::onCompletion);
            for (int i = 0; i < DEPTH && kind != Kind.MANAGED; i++) {
                ByteBuf used = Unpooled.directBuffer(ROOM, ROOM);
                used.setCharSequence(0, SECRET, StandardCharsets.US_ASCII);
                buffers.add(used);
                if (kind == Kind.SHARED) {
                    shared.receive(i, used);
                } else {
                    queuePair.receiveQueue().receive(i, used);
                }
            }
        });
    }

    private void onCompletion(QueuePair queuePair, CompletionView completion) {
        ByteBuf buffer = completion.buffer();
        if (completion.successful()) {
            delivered.add(buffer == null ? new byte[0] : ByteBufUtil.getBytes(buffer));
            if (buffer != null && !buffers.contains(buffer)) {
                buffer.release();
            }
        }
    }

    private static Segment piece(int msn, int from, int to) {
        byte[] bytes = new byte[to - from];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (from + i);
        }
        return Segment.send(msn, bytes).offset(from);
    }

    private static void assertIncomplete(SimulatedPeer peer) {
        var closed = peer.queuePair().closed();
        assertThat(closed).isCompleted();
        assertThat(closed.join().endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(closed.join().error()).isEqualTo(ProtocolError.DDP_UNTAGGED_INVALID_MO);
    }

    static Stream<Arguments> holes() {
        List<List<Segment>> holes = List.of(
                List.of(piece(1, ROOM - 1, ROOM)),
                List.of(piece(1, ROOM, ROOM)),
                List.of(piece(1, 0, 8).last(false), piece(1, ROOM - 1, ROOM)),
                List.of(piece(1, 8, 32).last(false), piece(1, 32, ROOM)),
                List.of(piece(1, 32, 48).last(false), piece(1, 0, 31).last(false), piece(1, 48, ROOM)),
                List.of(piece(1, 0, 16).last(false), piece(1, 0, 16).last(false), piece(1, 32, ROOM)),
                List.of(piece(2, 0, 8), piece(1, 1, ROOM)));
        return Stream.of(Kind.POSTED, Kind.SHARED)
                .flatMap(kind -> IntStream.range(0, holes.size()).mapToObj(i -> Arguments.of(kind, i, holes.get(i))));
    }

    static Stream<Arguments> gaps() {
        return Stream.of(
                Arguments.of(0, List.of(piece(1, ROOM - 1, ROOM))),
                Arguments.of(1, List.of(piece(1, ROOM, ROOM))),
                Arguments.of(2, List.of(piece(1, 0, 8).last(false), piece(1, ROOM - 1, ROOM))),
                Arguments.of(3, List.of(piece(1, 1, 2).last(false))),
                Arguments.of(4, List.of(piece(1, 1, 1).last(false))),
                Arguments.of(
                        5,
                        List.of(
                                piece(1, 0, 16).last(false),
                                piece(1, 0, 16).last(false),
                                piece(1, 32, 48).last(false))));
    }

    @ParameterizedTest(name = "case {0}")
    @MethodSource("gaps")
    @Requirement({"DDP-32", "DDP-37"})
    void aManagedReceiveRefusesAGapAtOnce(int number, List<Segment> segments) {
        assertRefusesLast(Kind.MANAGED, segments);
    }

    @ParameterizedTest(name = "{0}, case {1}")
    @MethodSource("holes")
    @Requirement({"DDP-32", "DDP-37"})
    void aMessageWithAHoleIsNotDelivered(Kind kind, int number, List<Segment> segments) {
        assertRefusesLast(kind, segments);
    }

    private void assertRefusesLast(Kind kind, List<Segment> segments) {
        try (SimulatedPeer peer = peer(kind).speaksFirst()) {
            Segment last = segments.get(segments.size() - 1);
            peer.sends(segments.toArray(new Segment[0]));
            peer.hearsTerminate("1204 c000" + String.format("%04x", last.ulpdu().length)
                    + HexFormat.of().formatHex(last.header()));
            assertIncomplete(peer);
        }
        assertThat(delivered).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = "MANAGED", mode = EnumSource.Mode.EXCLUDE)
    @Requirement({"DDP-35", "DDP-36", "DDP-37"})
    void messagesInPiecesOfAnyOrderAreDeliveredAsTheyWereSent(Kind kind) {
        try (SimulatedPeer peer = peer(kind).speaksFirst()) {
            peer.sends(
                    piece(2, 30, 40).last(false),
                    piece(1, 10, 20).last(false),
                    piece(2, 0, 35).last(false));
            peer.sends(
                    piece(1, 5, 12).last(false),
                    piece(2, 40, ROOM),
                    piece(1, 0, 5).last(false));
            assertThat(delivered).isEmpty();
            peer.sends(piece(1, 20, ROOM));
            assertThat(delivered)
                    .containsExactly(
                            piece(1, 0, ROOM).payload(), piece(2, 0, ROOM).payload());
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("MPA-77")
    void emptyWritesDoNotKeepAnIncompleteMessage(Kind kind) {
        try (SimulatedPeer peer = peer(kind).speaksFirst()) {
            peer.sends(piece(1, 0, 1).last(false));
            for (int seconds = 0; seconds < 59; seconds++) {
                peer.pass(Duration.ofSeconds(1));
                peer.sends(Segment.write(0, 0, new byte[0]));
            }
            assertThat(peer.queuePair().closed()).isNotDone();
            peer.pass(Duration.ofSeconds(2));
            peer.hearsTerminate("1000 0000");
            var closed = peer.queuePair().closed();
            assertThat(closed).isCompleted();
            assertThat(closed.join().endedBy()).isEqualTo(EndedBy.TIMEOUT);
            assertThat(closed.join().detail()).contains("message 1 ", "PT1M");
        }
    }

    /** Each byte adds the time that it takes at 64 KiB/s, not the second for which the peer was silent. */
    @ParameterizedTest
    @EnumSource
    @Requirement("MPA-77")
    void aByteASecondDoesNotKeepAnIncompleteMessage(Kind kind) {
        try (SimulatedPeer peer = peer(kind).speaksFirst()) {
            for (int i = 0; i < 60; i++) {
                peer.sends(piece(1, i, i + 1).last(false));
                assertThat(peer.queuePair().closed()).isNotDone();
                peer.pass(Duration.ofSeconds(1));
            }
            peer.pass(Duration.ofMillis(1));
            assertThat(peer.queuePair().closed()).isCompleted();
            assertThat(peer.queuePair().closed().join().endedBy()).isEqualTo(EndedBy.TIMEOUT);
            assertThat(domain.device().managedReceiveBytes()).isZero();
        }
    }

    @Test
    @Requirement("DDP-32")
    void aTerminateWithAHoleIsNotBelieved() {
        try (SimulatedPeer peer = peer(Kind.POSTED).speaksFirst()) {
            peer.sends(Segment.terminate("010000").offset(1));
            assertIncomplete(peer);
        }
    }
}
