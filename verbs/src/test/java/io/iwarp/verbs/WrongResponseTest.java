package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A scripted responder that sends wrong responses to Reads and atomics. Each time: the exact Terminate, the margins of
 * the sink are untouched, and each request completes once with the first cause.
 */
class WrongResponseTest {
    private static final int LENGTH = 64;
    private static final int MARGIN = 16;
    private static final long BASE = 0x4000;
    private static final byte PATTERN = 0x5a;
    private static final RemoteBuffer REMOTE = new RemoteBuffer(0xb1b2b3b4, 0x2000, LENGTH);

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = Unpooled.directBuffer(LENGTH + 2 * MARGIN);
    private MemoryRegion sink;
    private MemoryRegion otherSink;
    private ServerSocket server;
    private SocketPeer peer;
    private QueuePair queuePair;

    @BeforeEach
    void connect() throws Exception {
        for (int i = 0; i < memory.capacity(); i++) {
            memory.setByte(i, PATTERN);
        }
        sink = domain.region()
                .buffers(memory.slice(MARGIN, LENGTH))
                .baseTaggedOffset(BASE)
                .rights(AccessRight.LOCAL_WRITE)
                .register();
        otherSink = domain.region()
                .buffers(memory.slice(MARGIN, LENGTH))
                .baseTaggedOffset(BASE)
                .rights(AccessRight.LOCAL_WRITE)
                .register();
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        IwarpChannelInitializer initializer =
                IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], qp -> {});
        CompletableFuture<QueuePair> connecting =
                new IwarpConnector(loopback.bootstrap(), initializer).connect(server.getLocalSocketAddress());
        peer = SocketPeer.accept(server);
        queuePair = await(connecting);
    }

    @AfterEach
    void close() throws Exception {
        peer.close();
        server.close();
        loopback.close();
        sink.close();
        otherSink.close();
        domain.close();
        memory.release();
    }

    private Segment response(long offset, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 7);
        return Segment.readResponse(sink.stag(), BASE + offset, bytes);
    }

    private static Arguments wrong(String code, String name, Function<WrongResponseTest, List<Segment>> responses) {
        return Arguments.of(code, name, responses);
    }

    static Stream<Arguments> wrongReadResponses() {
        return Stream.of(
                wrong("1101", "one byte too many", t -> List.of(t.response(0, LENGTH + 1))),
                wrong(
                        "1101",
                        "one byte too many in a second segment",
                        t -> List.of(t.response(0, LENGTH).last(false), t.response(LENGTH, 1))),
                wrong("1101", "one byte before the sink", t -> List.of(t.response(-1, LENGTH))),
                wrong("1101", "one byte further", t -> List.of(t.response(1, LENGTH))),
                wrong("1101", "far away", t -> List.of(t.response(Long.MIN_VALUE, 1))),
                wrong(
                        "1100",
                        "for another sink",
                        t -> List.of(Segment.readResponse(t.otherSink.stag(), BASE, new byte[LENGTH]))),
                wrong(
                        "1100",
                        "for the source's STag",
                        t -> List.of(Segment.readResponse(REMOTE.stag(), BASE, new byte[LENGTH]))),
                wrong("02ff", "one byte too few", t -> List.of(t.response(0, LENGTH - 1))),
                wrong("02ff", "without a byte", t -> List.of(t.response(0, 0))),
                wrong(
                        "02ff",
                        "the first half twice",
                        t -> List.of(t.response(0, LENGTH / 2).last(false), t.response(0, LENGTH / 2))),
                wrong(
                        "02ff",
                        "the second half twice",
                        t -> List.of(
                                t.response(LENGTH / 2, LENGTH / 2).last(false), t.response(LENGTH / 2, LENGTH / 2))),
                wrong(
                        "02ff",
                        "a byte in the middle is missing",
                        t -> List.of(
                                t.response(0, 20).last(false),
                                t.response(1, 19).last(false),
                                t.response(21, LENGTH - 21))),
                wrong(
                        "02ff",
                        "an empty last segment too early",
                        t -> List.of(t.response(0, LENGTH - 1).last(false), t.response(0, 0))),
                wrong("0206", "twice", t -> List.of(t.response(0, LENGTH), t.response(0, LENGTH))),
                wrong("0205", "in version 0", t -> List.of(t.response(0, LENGTH).rdmapVersion(0))),
                wrong("0205", "in version 2", t -> List.of(t.response(0, LENGTH).rdmapVersion(2))),
                wrong(
                        "0205",
                        "in version 3 in a second segment",
                        t -> List.of(
                                t.response(0, 1).last(false),
                                t.response(1, LENGTH - 1).rdmapVersion(3))),
                wrong("1202", "as an Atomic Response", t -> List.of(Segment.atomicResponse(1, 1, 0))));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("wrongReadResponses")
    @Requirement({"RDMAP-31", "RDMAP-47", "RDMAP-53", "RDMAP-79", "EXT-20"})
    void aReadGetsAWrongResponse(String code, String name, Function<WrongResponseTest, List<Segment>> responses)
            throws Exception {
        CompletableFuture<Completion> read = queuePair.read(sink.slice(0, REMOTE.length()), REMOTE);
        assertThat(peer.expectUlpdu())
                .isEqualTo(Segment.readRequest(1, sink.stag(), BASE, LENGTH, REMOTE.stag(), REMOTE.taggedOffset())
                        .ulpdu());
        List<Segment> segments = responses.apply(this);
        peer.sends(segments.toArray(new Segment[0]));
        expectTerminate(code, segments.get(segments.size() - 1));
        if (name.equals("twice")) {
            assertThat(await(read).bytes()).isEqualTo(LENGTH);
        } else {
            assertFlushed(read);
        }
        assertMarginsUntouched();
    }

    static Stream<Arguments> wrongAtomicResponses() {
        return Stream.of(
                wrong("02ff", "of another request", t -> List.of(Segment.atomicResponse(1, 99, 0))),
                wrong(
                        "02ff",
                        "one byte too few",
                        t -> List.of(Segment.atomicResponse(1, 1, 0).payload(new byte[11]))),
                wrong(
                        "1205",
                        "one byte too many",
                        t -> List.of(Segment.atomicResponse(1, 1, 0).payload(new byte[13]))),
                wrong(
                        "1204",
                        "with its last bytes alone",
                        t -> List.of(Segment.atomicResponse(1, 1, 0).offset(4).payload(new byte[8]))),
                wrong("1203", "with the second message number", t -> List.of(Segment.atomicResponse(2, 1, 0))),
                wrong("1202", "twice", t -> List.of(Segment.atomicResponse(1, 1, 0), Segment.atomicResponse(2, 1, 0))),
                wrong(
                        "0205",
                        "in version 0",
                        t -> List.of(Segment.atomicResponse(1, 1, 0).rdmapVersion(0))),
                wrong(
                        "0205",
                        "in version 2",
                        t -> List.of(Segment.atomicResponse(1, 1, 0).rdmapVersion(2))),
                wrong(
                        "0205",
                        "in version 3",
                        t -> List.of(Segment.atomicResponse(1, 1, 0).rdmapVersion(3))),
                wrong("0206", "as a Read Response", t -> List.of(t.response(0, 8))));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("wrongAtomicResponses")
    @Requirement({"DDP-32", "RDMAP-79", "EXT-1", "EXT-12", "EXT-20", "EXT-21", "EXT-22", "EXT-33"})
    void anAtomicGetsAWrongResponse(String code, String name, Function<WrongResponseTest, List<Segment>> responses)
            throws Exception {
        CompletableFuture<Long> added = queuePair.fetchAdd(REMOTE.word(0), 1);
        assertThat(peer.expectUlpdu())
                .isEqualTo(Segment.fetchAdd(1, REMOTE.stag(), REMOTE.taggedOffset(), 1, 0)
                        .ulpdu());
        List<Segment> segments = responses.apply(this);
        peer.sends(segments.toArray(new Segment[0]));
        expectTerminate(code, segments.get(segments.size() - 1));
        if (name.equals("twice")) {
            assertThat(await(added)).isZero();
        } else {
            assertFlushed(added);
        }
        assertMarginsUntouched();
    }

    private void expectTerminate(String code, Segment culprit) throws Exception {
        peer.expectTerminate(code + "c000" + String.format("%04x", culprit.ulpdu().length)
                + HexFormat.of().formatHex(culprit.header()));
    }

    private void assertFlushed(CompletableFuture<?> request) throws Exception {
        CloseReason reason = await(queuePair.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        ExecutionException failure = catchThrowableOfType(ExecutionException.class, () -> await(request));
        assertThat(((ConnectionClosedException) failure.getCause()).reason()).isSameAs(reason);
    }

    private void assertMarginsUntouched() {
        for (int i = 0; i < MARGIN; i++) {
            assertThat(memory.getByte(i)).isEqualTo(PATTERN);
            assertThat(memory.getByte(MARGIN + LENGTH + i)).isEqualTo(PATTERN);
        }
    }

    @Test
    @Requirement({"RDMAP-31", "DDP-34", "DDP-35"})
    void segmentsOfAResponseMayOverlapAndComeInAnyOrder() throws Exception {
        CompletableFuture<Completion> read = queuePair.read(sink.slice(0, REMOTE.length()), REMOTE);
        peer.expectUlpdu();
        peer.sends(
                response(48, 16).last(false),
                response(0, 16).last(false),
                response(8, 16).last(false),
                response(48, 16).last(false),
                response(16, 32));
        assertThat(await(read).bytes()).isEqualTo(LENGTH);
        assertThat(memory.getByte(MARGIN)).isEqualTo((byte) 7);
        assertThat(memory.getByte(MARGIN + LENGTH - 1)).isEqualTo((byte) 7);
        assertMarginsUntouched();
    }

    @Test
    @Requirement({"SEC-6", "RDMAP-31"})
    void aSinkThatWasTakenBackTakesNothing() throws Exception {
        CompletableFuture<Completion> read = queuePair.read(sink.slice(0, REMOTE.length()), REMOTE);
        peer.expectUlpdu();
        sink.invalidate();
        Segment response = response(0, LENGTH);
        peer.sends(response);
        expectTerminate("1100", response);
        assertFlushed(read);
        for (int i = 0; i < memory.capacity(); i++) {
            assertThat(memory.getByte(i)).isEqualTo(PATTERN);
        }
    }

    @Test
    @Requirement({"RDMAP-47", "RDMAP-68"})
    void whatWasPostedBehindAFailedReadFailsWithTheSameCause() throws Exception {
        List<CompletableFuture<?>> requests = new ArrayList<>();
        requests.add(queuePair.read(sink.slice(0, REMOTE.length()), REMOTE));
        requests.add(queuePair.send(Unpooled.EMPTY_BUFFER));
        requests.add(queuePair.fetchAdd(REMOTE.word(0), 1));
        requests.add(queuePair.sendImmediate(new ImmediateData(5), PostOptions.FENCE));
        requests.add(queuePair.receive(Unpooled.buffer(1)));
        peer.expectUlpdu();
        Segment response = response(1, LENGTH);
        peer.sends(response);
        byte[] ulpdu = peer.expectUlpdu();
        while (ulpdu[1] != 0x47) {
            ulpdu = peer.expectUlpdu();
        }
        peer.expectEnd();
        for (CompletableFuture<?> request : requests) {
            assertFlushed(request);
        }
    }

    @Test
    @Requirement("RDMAP-44")
    void aPersonCanReadWhyThePeerTerminatedTheStream() throws Exception {
        peer.sends(Segment.terminate("01010000"));
        CloseReason reason = await(queuePair.closed());
        assertThat(reason.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(reason.error()).isEqualTo(ProtocolError.RDMAP_BASE_OR_BOUNDS);
        assertThat(reason.toString())
                .startsWith("the peer terminated the stream: " + ProtocolError.RDMAP_BASE_OR_BOUNDS.explanation())
                .endsWith(" (Remote Protection Error / Base or bounds violation, 0x0/0x1/0x01)");
    }

    @Test
    @Requirement("RDMAP-44")
    void anUnknownTerminateIsShownByItsNumbers() throws Exception {
        peer.sends(Segment.terminate("77770000"));
        assertThat(await(queuePair.closed()))
                .hasToString("the peer terminated the stream: with 7/7/77, which no RFC assigns");
    }
}
