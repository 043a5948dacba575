package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A scripted peer on a raw socket does each wrong thing once. Each time: the exact Terminate, then FIN; not one byte of
 * memory changed; the receive that was posted is flushed once with the reason; the server serves the next peer.
 */
class ProtocolErrorTest {
    private static final int REGION_LENGTH = 256;
    private static final int MARGIN = 64;
    private static final long BASE = 0x1_0000L;
    private static final int RECEIVE_LENGTH = 32;
    private static final byte PATTERN = 0x5a;

    private final Loopback loopback = new Loopback();
    private final IwarpDevice device = IwarpDevice.create();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final ProtectionDomain otherDomain = device.allocateProtectionDomain();
    private final StreamAssociation otherStream = domain.openStream();
    private final ByteBuf memory = Unpooled.directBuffer(REGION_LENGTH + 2 * MARGIN);
    private final ByteBuf receiveMemory = Unpooled.directBuffer(RECEIVE_LENGTH, RECEIVE_LENGTH);
    private MemoryRegion region;
    private MemoryRegion readOnly;
    private MemoryRegion foreign;
    private MemoryRegion otherStreams;
    private MemoryRegion revoked;
    private SocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        for (int i = 0; i < memory.capacity(); i++) {
            memory.setByte(i, PATTERN);
        }
        ByteBuf inside = memory.slice(MARGIN, REGION_LENGTH);
        region = domain.region()
                .buffers(inside)
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        readOnly = domain.region()
                .buffers(inside)
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_READ)
                .register();
        foreign = otherDomain
                .region()
                .buffers(inside)
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        otherStreams = domain.region().buffers(inside).baseTaggedOffset(BASE).rights(AccessRight.REMOTE_WRITE).stream(
                        otherStream)
                .register();
        revoked = domain.region()
                .buffers(inside)
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        revoked.invalidate();
        address = loopback.accept(domain, QueuePairSettings.DEFAULT, this::postOneReceive);
    }

    private void postOneReceive(QueuePair queuePair) {
        receiveMemory.clear();
        queuePair.completionListener((qp, completion) -> {});
        queuePair.receiveQueue().receive(1, receiveMemory);
    }

    @AfterEach
    void release() throws Exception {
        loopback.close();
        for (MemoryRegion registered : new MemoryRegion[] {region, readOnly, foreign, otherStreams, revoked}) {
            registered.close();
        }
        otherStream.close();
        domain.close();
        otherDomain.close();
        memory.release();
        receiveMemory.release();
    }

    static Stream<Arguments> wrongSegments() {
        byte[] four = {1, 2, 3, 4};
        Segment send = Segment.send(1, four);
        return Stream.of(
                wrong(
                        "1104",
                        "a tagged segment of DDP version 0",
                        t -> write(t.region, BASE, four).ddpVersion(0)),
                wrong(
                        "1104",
                        "a tagged segment of DDP version 2",
                        t -> write(t.region, BASE, four).ddpVersion(2)),
                wrong("1206", "an untagged segment of DDP version 3", t -> send.ddpVersion(3)),
                wrong(
                        "1104",
                        "a bad DDP version and a bad opcode",
                        t -> write(t.region, BASE, four).ddpVersion(0).opcode(13)),
                wrong("1201", "queue 4", t -> send.queue(4)),
                wrong("1201", "queue 2^32 - 1", t -> send.queue(-1)),
                wrong("1203", "MSN 0", t -> Segment.send(0, four)),
                wrong("1203", "an MSN of the far future", t -> Segment.send(1000, four)),
                wrong("1203", "an MSN of half the number space ahead", t -> Segment.send(0x8000_0001, four)),
                wrong("1204", "a message offset behind the buffer", t -> send.offset(RECEIVE_LENGTH + 1)),
                wrong("1204", "a message offset of 2^32 - 1", t -> send.offset(-1)),
                wrong("1205", "a message one byte too long", t -> Segment.send(1, new byte[RECEIVE_LENGTH + 1])),
                wrong("1205", "a segment that passes the end of the buffer", t -> send.offset(RECEIVE_LENGTH - 3)),
                wrong("1100", "an unknown STag", t -> Segment.write(~t.region.stag(), BASE, four)),
                wrong("1100", "STag 0", t -> Segment.write(0, BASE, four)),
                wrong("1100", "a revoked STag", t -> write(t.revoked, BASE, four)),
                wrong("1100", "a region without the right to write", t -> write(t.readOnly, BASE, four)),
                wrong("1102", "a region of another protection domain", t -> write(t.foreign, BASE, four)),
                wrong("1102", "a region of another stream", t -> write(t.otherStreams, BASE, four)),
                wrong("1101", "the byte before the region", t -> write(t.region, BASE - 1, four)),
                wrong("1101", "the byte after the region", t -> write(t.region, BASE + REGION_LENGTH, four)),
                wrong("1101", "one byte over the end", t -> write(t.region, BASE + REGION_LENGTH - 3, four)),
                wrong("1101", "tagged offset 0", t -> write(t.region, 0, four)),
                wrong("1103", "a range that wraps at 2^64", t -> write(t.region, -2, four)),
                wrong("0206", "opcode 12", t -> send.opcode(12)),
                wrong("0206", "opcode 15", t -> send.opcode(15)),
                wrong("0206", "an untagged Write", t -> send.opcode(0)),
                wrong("0206", "a tagged Send", t -> write(t.region, BASE, four).opcode(3)),
                wrong("0206", "a Send on the queue of Read Requests", t -> send.queue(1)),
                wrong("0206", "a Terminate on the queue of Sends", t -> send.opcode(7)),
                wrong(
                        "0206",
                        "a Read Response to nothing",
                        t -> write(t.region, BASE, four).opcode(2)),
                wrong("0205", "RDMAP version 0", t -> send.rdmapVersion(0)),
                wrong(
                        "0205",
                        "RDMAP version 2",
                        t -> write(t.region, BASE, four).rdmapVersion(2)),
                wrong("0205", "RDMAP version 3", t -> send.rdmapVersion(3)),
                wrong(
                        "0206",
                        "a bad opcode and a bad RDMAP version",
                        t -> send.opcode(14).rdmapVersion(2)));
    }

    private static Segment write(MemoryRegion region, long taggedOffset, byte[] payload) {
        return Segment.write(region.stag(), taggedOffset, payload);
    }

    private static Arguments wrong(String code, String name, Function<ProtocolErrorTest, Segment> segment) {
        return Arguments.of(code, name, segment);
    }

    @ParameterizedTest(name = "{1}: {0}")
    @MethodSource("wrongSegments")
    @Requirement({
        "DDP-15",
        "DDP-49",
        "DDP-51",
        "DDP-54",
        "DDP-55",
        "DDP-56",
        "DDP-57",
        "DDP-58",
        "DDP-59",
        "DDP-60",
        "DDP-61",
        "DDP-62",
        "DDP-63",
        "DDP-64",
        "DDP-65",
        "DDP-66",
        "DDP-67",
        "DDP-68",
        "DDP-71",
        "DDP-72",
        "DDP-75",
        "RDMAP-7",
        "RDMAP-35",
        "RDMAP-42",
        "RDMAP-48",
        "RDMAP-50",
        "RDMAP-53",
        "RDMAP-56",
        "RDMAP-58",
        "RDMAP-76",
        "RDMAP-78",
        "RDMAP-79",
        "SEC-1",
        "SEC-2",
        "SEC-4",
        "SEC-24"
    })
    void aWrongSegmentGetsItsTerminateAndChangesNothing(
            String code, String name, Function<ProtocolErrorTest, Segment> wrongSegment) throws Exception {
        Segment segment = wrongSegment.apply(this);
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            peer.sends(segment, write(region, BASE, new byte[] {9, 9}));
            String length = String.format("%04x", segment.ulpdu().length);
            peer.expectTerminate(code + "c000" + length + HexFormat.of().formatHex(segment.header()));
        }
        assertEndedWith(code, EndedBy.LOCAL_FAULT);
        assertMemoryUntouched();
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"DDP-55", "DDP-69"})
    void aSendWithoutReceiveEndsTheStream() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            Segment second = Segment.send(2, new byte[] {5});
            peer.sends(Segment.send(1, new byte[] {4}), second);
            peer.expectTerminate("1202c0000013" + HexFormat.of().formatHex(second.header()));
        }
        assertThat(receiveMemory.getByte(0)).isEqualTo((byte) 4);
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"DDP-58"})
    void aMessageThatWasTakenIsNotTakenTwice() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            Segment first = Segment.send(1, new byte[] {4});
            peer.sends(first, first);
            peer.expectTerminate("1203c0000013" + HexFormat.of().formatHex(first.header()));
        }
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"DDP-23", "RDMAP-51"})
    void aUlpduShorterThanItsHeaderIsReportedWithItsLengthOnly() throws Exception {
        for (int length : new int[] {2, 13}) {
            try (ScriptedPeer peer = ScriptedPeer.established(address)) {
                byte[] cut = Arrays.copyOf(
                        Segment.write(region.stag(), BASE, new byte[0]).ulpdu(), length);
                peer.sends(Segment.fpdu(cut));
                peer.expectTerminate("02ff8000" + String.format("%04x", length));
            }
            assertEndedWith("02ff", EndedBy.LOCAL_FAULT);
        }
        assertMemoryUntouched();
    }

    @Test
    @Requirement({"MPA-40", "MPA-84", "MPA-88", "MPA-89", "RDMAP-57", "DDP-53"})
    void aBadCrcIsReportedWithoutHeadersAndNothingIsPlaced() throws Exception {
        byte[] bad = write(region, BASE, new byte[] {1, 2, 3, 4}).fpdu();
        bad[20] ^= 1;
        byte[] good = write(region, BASE + 8, new byte[] {1, 2, 3, 4}).fpdu();
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            peer.sends(write(region, BASE, new byte[0]));
            peer.sends(bad, good);
            peer.expectTerminate("20020000");
        }
        assertEndedWith("2002", EndedBy.LOCAL_FAULT);
        assertMemoryUntouched();
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"MPA-30", "MPA-85", "MPA-88"})
    void aMarkerThatDisagreesWithTheLengthIsReported() throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().requestMarkers(true).build())
                .build();
        SocketAddress withMarkers = loopback.accept(domain, settings, this::postOneReceive);
        byte[] fpdu = write(region, BASE, new byte[] {1, 2, 3, 4}).fpdu();
        try (ScriptedPeer peer = ScriptedPeer.established(withMarkers)) {
            byte[] first = write(region, BASE, new byte[0]).fpdu();
            peer.sends(withMarker(0, first));
            int sent = 4 + first.length;
            byte[] filler = Segment.send(1, new byte[0]).fpdu();
            while (sent + filler.length <= 512) {
                filler = write(region, BASE, new byte[0]).fpdu();
                peer.sends(filler);
                sent += filler.length;
            }
            int before = 512 - sent;
            peer.sends(withMarkerInside(fpdu, before, before + 4));
            peer.expectTerminate("20030000");
        }
        assertEndedWith("2003", EndedBy.LOCAL_FAULT);
        assertMemoryUntouched();
    }

    private static byte[] withMarker(int pointer, byte[] fpdu) {
        ByteBuffer marked = ByteBuffer.allocate(4 + fpdu.length).putInt(pointer).put(fpdu);
        return sealed(marked.array());
    }

    private static byte[] withMarkerInside(byte[] fpdu, int position, int pointer) {
        ByteBuffer marked = ByteBuffer.allocate(4 + fpdu.length)
                .put(fpdu, 0, position)
                .putInt(pointer)
                .put(fpdu, position, fpdu.length - position);
        return sealed(marked.array());
    }

    private static byte[] sealed(byte[] fpdu) {
        int crc = Integer.reverseBytes((int) Segment.crc(fpdu, 0, fpdu.length - 4));
        ByteBuffer.wrap(fpdu).putInt(fpdu.length - 4, crc);
        return fpdu;
    }

    @Test
    @Requirement({"MPA-83", "RDMAP-57"})
    void aFinInsideAnFpduIsALostConnection() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            peer.sends(write(region, BASE, new byte[0]));
            peer.sends(Arrays.copyOf(
                    write(region, BASE, new byte[] {1, 2, 3, 4}).fpdu(), 11));
            peer.finish();
            peer.expectTerminate("20010000");
        }
        assertEndedWith("2001", EndedBy.TRANSPORT);
        assertMemoryUntouched();
    }

    @Test
    @Requirement({"MPA-83", "DDP-50", "RDMAP-47"})
    void aResetFlushesWhatIsPosted() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            peer.sends(write(region, BASE, new byte[0]));
            QueuePair queuePair = loopback.nextAccepted();
            Loopback.await(queuePair.ready());
            var receive = queuePair.receive(Unpooled.EMPTY_BUFFER);
            peer.reset();
            Loopback.await(queuePair.closed());
            assertThat(receive).isCompletedExceptionally();
        }
    }

    @Test
    @Requirement({"RDMAP-55"})
    void ofTwoErrorsTheFirstIsReported() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            Segment first = Segment.write(0, 0, new byte[] {1});
            peer.sends(first, Segment.send(1, new byte[0]).opcode(12));
            peer.expectTerminate("1100c000000f" + HexFormat.of().formatHex(first.header()));
        }
        assertEndedWith("1100", EndedBy.LOCAL_FAULT);
    }

    @Test
    @Requirement({"RDMAP-45", "RDMAP-47", "RDMAP-54", "DDP-67"})
    void aTerminateOvertakesQueuedSendsAndNothingFollowsIt() throws Exception {
        int messages = 128;
        ByteBuf large = Unpooled.directBuffer(1 << 20).writeZero(1 << 20);
        AtomicInteger flushed = new AtomicInteger();
        AtomicInteger sent = new AtomicInteger();
        SocketAddress talkative = loopback.accept(domain, QueuePairSettings.DEFAULT, queuePair -> {
            queuePair.completionListener(
                    (qp, completion) -> (completion.successful() ? sent : flushed).incrementAndGet());
            for (int i = 0; i < messages; i++) {
                queuePair.sendQueue().send(i, large);
            }
        });
        Segment wrong = Segment.write(0, 0, new byte[] {1});
        try (ScriptedPeer peer = ScriptedPeer.established(talkative)) {
            peer.sends(write(region, BASE, new byte[0]), wrong);
            byte[] ulpdu = peer.expectUlpdu();
            while (ulpdu[1] == 0x43) {
                ulpdu = peer.expectUlpdu();
            }
            assertThat(HexFormat.of().formatHex(ulpdu))
                    .isEqualTo("4147000000000000000200000001000000001100c000000f"
                            + HexFormat.of().formatHex(wrong.header()));
            peer.expectEnd();
        }
        assertEndedWith("1100", EndedBy.LOCAL_FAULT);
        assertThat(flushed.get()).isPositive();
        assertThat(sent.get() + flushed.get()).isEqualTo(messages);
        assertThat(large.release()).isTrue();
    }

    /** Closing a socket with unread input would send RST and take the Terminate away from the peer. */
    @Test
    @Requirement({"RDMAP-58", "DDP-66"})
    void aTerminateReachesAPeerThatGoesOnSending() throws Exception {
        Segment wrong = Segment.write(0, 0, new byte[] {1});
        byte[] flood = Segment.write(0, 0, new byte[60_000]).fpdu();
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            peer.sends(write(region, BASE, new byte[0]), wrong);
            for (int i = 0; i < 300; i++) {
                peer.sends(flood);
            }
            peer.expectTerminate("1100c000000f" + HexFormat.of().formatHex(wrong.header()));
        }
        assertEndedWith("1100", EndedBy.LOCAL_FAULT);
    }

    @Test
    @Requirement({"RDMAP-44", "RDMAP-46", "RDMAP-49"})
    void aTerminateOfThePeerReachesTheApplicationAndIsNotAnswered() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            peer.sends(Segment.terminate(HexFormat.of().parseHex("11011fff")));
            peer.expectEnd();
        }
        CloseReason reason = assertEndedWith("1101", EndedBy.PEER_TERMINATE);
        assertThat(reason.toString()).contains("0x1/0x1/0x01");
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"RDMAP-46"})
    void aBadTerminateIsNotAnsweredEither() throws Exception {
        for (Segment bad : new Segment[] {
            Segment.terminate(new byte[200]),
            Segment.terminate(new byte[3]),
            Segment.terminate(new byte[4]).rdmapVersion(0)
        }) {
            try (ScriptedPeer peer = ScriptedPeer.established(address)) {
                peer.sends(bad);
                peer.expectEnd();
            }
            Loopback.await(loopback.nextAccepted().closed());
        }
    }

    @Test
    @Requirement({"DDP-31", "RDMAP-15"})
    void anEmptyWriteNeedsNoValidStag() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            peer.sends(Segment.write(0, -1, new byte[0]), Segment.send(1, new byte[] {7}));
            peer.finish();
            peer.expectEnd();
        }
        assertThat(Loopback.await(loopback.nextAccepted().closed()).endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
        assertThat(receiveMemory.getByte(0)).isEqualTo((byte) 7);
    }

    @Test
    @Requirement({"MPA-54", "MPA-66", "MPA-73", "MPA-86"})
    void aPeerThatSpeaksSomethingElseIsClosedWithoutAWord() throws Exception {
        for (String greeting : new String[] {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "MPA ID Rep Frame....", "X"}) {
            try (ScriptedPeer peer = ScriptedPeer.connectTo(address)) {
                peer.sends(greeting.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                peer.expectEnd();
            }
        }
        assertNextPeerIsServed();
    }

    private CloseReason assertEndedWith(String code, EndedBy endedBy) throws Exception {
        CloseReason reason = Loopback.await(loopback.nextAccepted().closed());
        assertThat(reason.endedBy()).isEqualTo(endedBy);
        assertThat(reason.error()).isNotNull();
        assertThat(String.format(
                        "%x%x%02x",
                        reason.error().layer().number(),
                        reason.error().type(),
                        reason.error().code()))
                .isEqualTo(code);
        return reason;
    }

    private void assertMemoryUntouched() {
        for (int i = 0; i < memory.capacity(); i++) {
            assertThat(memory.getByte(i)).as("byte %d", i).isEqualTo(PATTERN);
        }
    }

    private void assertNextPeerIsServed() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.established(address)) {
            peer.sends(write(region, BASE + 4, new byte[] {42}), Segment.send(1, new byte[] {43}));
            peer.finish();
            peer.expectEnd();
        }
        assertThat(memory.getByte(MARGIN + 4)).isEqualTo((byte) 42);
        assertThat(receiveMemory.getByte(0)).isEqualTo((byte) 43);
    }
}
