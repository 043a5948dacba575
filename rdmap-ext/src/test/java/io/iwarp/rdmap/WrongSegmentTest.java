package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A peer commits each violation once. Each time the stream sends the exact Terminate, then FIN; no byte of memory
 * changes; the end is reported once, with the reason; the next stream works.
 */
class WrongSegmentTest {
    private static final int REGION_LENGTH = 256;
    private static final int MARGIN = 64;
    private static final long BASE = 0x1_0000L;
    private static final int RECEIVE_LENGTH = 32;
    private static final byte PATTERN = 0x5a;

    private final IwarpDevice device = IwarpDevice.create();
    private final ProtectionDomain domain = device.createProtectionDomain();
    private final ProtectionDomain otherDomain = device.createProtectionDomain();
    private final StreamAssociation otherStream = StreamAssociation.open(domain);
    private final ByteBuf memory = Unpooled.directBuffer(REGION_LENGTH + 2 * MARGIN);
    private final MemoryRegion region = register(domain, AccessRight.REMOTE_WRITE);
    private final MemoryRegion readOnly = register(domain, AccessRight.REMOTE_READ);
    private final MemoryRegion foreign = register(otherDomain, AccessRight.REMOTE_WRITE);
    private final MemoryRegion revoked = register(domain, AccessRight.REMOTE_WRITE);
    private MemoryRegion otherStreams;
    private ScriptedPeer peer;

    private MemoryRegion register(ProtectionDomain owner, AccessRight right) {
        return owner.region()
                .buffers(memory.slice(MARGIN, REGION_LENGTH))
                .baseTaggedOffset(BASE)
                .rights(right)
                .register();
    }

    @BeforeEach
    void establish() {
        for (int i = 0; i < memory.capacity(); i++) {
            memory.setByte(i, PATTERN);
        }
        otherStreams = otherStream
                .region()
                .buffers(memory.slice(MARGIN, REGION_LENGTH))
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_WRITE)
                .register();
        revoked.invalidate();
        peer = ScriptedPeer.of(domain);
        peer.end.post(RECEIVE_LENGTH);
    }

    @AfterEach
    void release() {
        peer.close();
        for (MemoryRegion registered : new MemoryRegion[] {region, readOnly, foreign, otherStreams, revoked}) {
            registered.close();
        }
        otherStream.close();
        domain.close();
        otherDomain.close();
        memory.release();
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

    private static Arguments wrong(String code, String name, Function<WrongSegmentTest, Segment> segment) {
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
    void wrongSegmentIsTerminatedAndChangesNothing(
            String code, String name, Function<WrongSegmentTest, Segment> wrongSegment) {
        Segment segment = wrongSegment.apply(this);
        peer.sends(segment, write(region, BASE, new byte[] {9, 9}));
        String length = String.format("%04x", segment.ulpdu().length);
        peer.receivesTerminate(code + "c000" + length + HexFormat.of().formatHex(segment.header()));
        assertEndedWith(code, EndedBy.LOCAL_FAULT);
        assertMemoryUntouched();
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"DDP-55", "DDP-69"})
    void aSendWithoutReceiveEndsTheStream() {
        Segment second = Segment.send(2, new byte[] {5});
        peer.sends(Segment.send(1, new byte[] {4}), second);
        peer.receivesTerminate("1202c0000013" + HexFormat.of().formatHex(second.header()));
        assertThat(peer.end.received).containsExactly(new byte[] {4});
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"DDP-58"})
    void aMessageThatWasTakenIsNotTakenTwice() {
        Segment first = Segment.send(1, new byte[] {4});
        peer.sends(first, first);
        peer.receivesTerminate("1203c0000013" + HexFormat.of().formatHex(first.header()));
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"DDP-23", "RDMAP-51"})
    void aUlpduShorterThanItsHeaderIsReportedWithItsLengthOnly() {
        for (int length : new int[] {2, 13}) {
            try (ScriptedPeer one = ScriptedPeer.of(domain)) {
                byte[] whole = write(region, BASE, new byte[0]).ulpdu();
                one.sends(Arrays.copyOf(whole, length));
                one.receivesTerminate("02ff8000" + String.format("%04x", length));
                assertEndedWith("02ff", EndedBy.LOCAL_FAULT, one.reason());
            }
        }
        assertMemoryUntouched();
    }

    @Test
    @Requirement({"RDMAP-55"})
    void ofTwoErrorsTheFirstIsReported() {
        Segment first = Segment.write(0, 0, new byte[] {1});
        peer.sends(first, Segment.send(1, new byte[0]).opcode(12));
        peer.receivesTerminate("1100c000000f" + HexFormat.of().formatHex(first.header()));
        assertEndedWith("1100", EndedBy.LOCAL_FAULT);
    }

    @Test
    @Requirement("RDMAP-57")
    void lowerLayerFaultQuotesNoHeaders() {
        peer.end.takeFault(new ProtocolFault(ProtocolError.MPA_CRC_MISMATCH, "for the test"));
        peer.receivesTerminate("20020000");
        assertEndedWith("2002", EndedBy.LOCAL_FAULT);
        try (ScriptedPeer lost = ScriptedPeer.of(domain)) {
            lost.end.takeFault(new ProtocolFault(ProtocolError.MPA_CONNECTION_LOST, "for the test"));
            lost.receivesTerminate("20010000");
            assertEndedWith("2001", EndedBy.TRANSPORT, lost.reason());
        }
    }

    @Test
    @Requirement({"RDMAP-45", "RDMAP-47", "RDMAP-54", "DDP-67"})
    void aTerminateOvertakesQueuedSendsAndNothingFollowsIt() {
        int messages = 128;
        RdmapRequest[] requests = new RdmapRequest[messages];
        for (int i = 0; i < messages; i++) {
            requests[i] = new RdmapRequest().send(false);
            requests[i].payload().wrap(memory, 0, memory.capacity());
        }
        peer.end.submit(requests);
        peer.end.transmitSegment();
        Segment wrong = Segment.write(0, 0, new byte[] {1});
        peer.sends(wrong);
        assertThat(peer.hearsOpcode()).isEqualTo(3);
        peer.receivesTerminate("1100c000000f" + HexFormat.of().formatHex(wrong.header()));
        assertEndedWith("1100", EndedBy.LOCAL_FAULT);
        assertThat(peer.end.completed).containsExactly(requests[0]);
    }

    @Test
    @Requirement({"RDMAP-44", "RDMAP-46", "RDMAP-49"})
    void aTerminateOfThePeerReachesTheApplicationAndGetsNoResponse() {
        peer.sends(Segment.terminate("11011fff"));
        assertThat(peer.hearsNothing()).isTrue();
        assertThat(peer.end.closedConnection()).isTrue();
        CloseReason reason = assertEndedWith("1101", EndedBy.PEER_TERMINATE);
        assertThat(reason.toString()).contains("0x1/0x1/0x01");
        assertNextPeerIsServed();
    }

    @Test
    @Requirement({"RDMAP-46"})
    void aBadTerminateGetsNoResponseEither() {
        for (Segment bad : new Segment[] {
            Segment.terminate(new byte[200]),
            Segment.terminate(new byte[3]),
            Segment.terminate(new byte[4]).rdmapVersion(0)
        }) {
            try (ScriptedPeer one = ScriptedPeer.of(domain)) {
                one.sends(bad);
                assertThat(one.hearsNothing()).isTrue();
                assertThat(one.end.closedConnection()).isTrue();
                assertThat(one.end.ended).hasSize(1);
            }
        }
    }

    @Test
    @Requirement({"DDP-31", "RDMAP-15"})
    void anEmptyWriteNeedsNoValidStag() {
        peer.sends(Segment.write(0, -1, new byte[0]), Segment.send(1, new byte[] {7}));
        assertThat(peer.end.received).containsExactly(new byte[] {7});
        assertThat(peer.end.ended).isEmpty();
        peer.disconnects();
        assertThat(peer.reason().endedBy()).isEqualTo(EndedBy.PEER_CLOSED);
    }

    private CloseReason assertEndedWith(String code, EndedBy endedBy) {
        return assertEndedWith(code, endedBy, peer.reason());
    }

    private static CloseReason assertEndedWith(String code, EndedBy endedBy, CloseReason reason) {
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

    private void assertNextPeerIsServed() {
        try (ScriptedPeer next = ScriptedPeer.of(domain)) {
            next.end.post(RECEIVE_LENGTH);
            next.sends(write(region, BASE + 4, new byte[] {42}), Segment.send(1, new byte[] {43}));
            assertThat(memory.getByte(MARGIN + 4)).isEqualTo((byte) 42);
            assertThat(next.end.received).containsExactly(new byte[] {43});
        }
    }
}
