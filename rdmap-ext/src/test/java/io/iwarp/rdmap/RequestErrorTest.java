package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Terminates for invalid requests: Reads, atomics, invalidations and Immediate Data. After each, memory and margins
 * are as they were, and the next peer is served.
 */
class RequestErrorTest {
    private static final int LENGTH = 64;
    private static final int MARGIN = 16;
    private static final long BASE = 0x1000;
    private static final byte PATTERN = 0x5a;
    private static final int READS = 4;
    private static final int SINK = 0xa1a2a3a4;
    private static final String CONTROL_AND_HEADER = "c000";
    private static final String CONTROL_AND_BOTH_HEADERS = "e000";

    private final IwarpDevice device = IwarpDevice.create();
    private final ProtectionDomain domain = device.createProtectionDomain();
    private final ProtectionDomain otherDomain = device.createProtectionDomain();
    private final StreamAssociation otherStream = StreamAssociation.open(domain);
    private final ByteBuf memory = Unpooled.directBuffer(LENGTH + 2 * MARGIN);
    private MemoryRegion region;
    private MemoryRegion writeOnly;
    private MemoryRegion foreign;
    private MemoryRegion otherStreams;
    private MemoryRegion revoked;
    private MemoryRegion atTheEnd;

    @BeforeEach
    void register() {
        for (int i = 0; i < memory.capacity(); i++) {
            memory.setByte(i, PATTERN);
        }
        AccessRight[] both = {AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC};
        region = register(domain, BASE, null, both);
        writeOnly = register(domain, BASE, null, AccessRight.REMOTE_WRITE);
        foreign = register(otherDomain, BASE, null, both);
        otherStreams = register(domain, BASE, otherStream, both);
        revoked = register(domain, BASE, null, both);
        revoked.invalidate();
        atTheEnd = register(domain, -LENGTH, null, both);
    }

    private MemoryRegion register(ProtectionDomain owner, long base, StreamAssociation stream, AccessRight... rights) {
        return (stream == null ? owner.region() : stream.region())
                .buffers(memory.slice(MARGIN, LENGTH))
                .baseTaggedOffset(base)
                .rights(rights)
                .register();
    }

    @AfterEach
    void release() {
        for (MemoryRegion registered :
                new MemoryRegion[] {region, writeOnly, foreign, otherStreams, revoked, atTheEnd}) {
            registered.close();
        }
        otherStream.close();
        domain.close();
        otherDomain.close();
        memory.release();
    }

    private static Segment read(MemoryRegion source, long offset, int size) {
        return Segment.readRequest(1, SINK, 0x7000, size, source.stag(), offset);
    }

    private static Segment add(MemoryRegion target, long offset) {
        return Segment.fetchAdd(1, target.stag(), offset, 1, 0);
    }

    private static Segment swap(MemoryRegion target, long offset) {
        return Segment.atomic(1, 2, target.stag(), offset, 1, -1, 0x5a5a5a5a5a5a5a5aL, -1);
    }

    private static Segment invalidate(int stag) {
        return Segment.send(1, new byte[0]).opcode(4).invalidateStag(stag);
    }

    private static Arguments wrong(String code, String name, Function<RequestErrorTest, Segment> segment) {
        return Arguments.of(code, name, segment);
    }

    static Stream<Arguments> refusedReads() {
        return Stream.of(
                wrong("0100", "an unknown source", t -> Segment.readRequest(1, SINK, 0, 8, 0x12345678, BASE)),
                wrong("0100", "a revoked source", t -> read(t.revoked, BASE, 8)),
                wrong("0103", "a source of another domain", t -> read(t.foreign, BASE, 8)),
                wrong("0103", "a source of another stream", t -> read(t.otherStreams, BASE, 8)),
                wrong("0102", "a source without the right", t -> read(t.writeOnly, BASE, 8)),
                wrong("0104", "a range that wraps", t -> read(t.atTheEnd, -4, 8)),
                wrong("0104", "a range that wraps, out of bounds as well", t -> read(t.region, -4, 8)),
                wrong("0101", "one byte before the first", t -> read(t.region, BASE - 1, 1)),
                wrong("0101", "one byte behind the last", t -> read(t.region, BASE + LENGTH - 7, 8)),
                wrong("0101", "all but a byte behind the last", t -> read(t.region, BASE + LENGTH, 1)),
                wrong("0101", "2^32 - 1 bytes", t -> read(t.region, BASE, -1)),
                wrong("0102", "no right, and out of bounds", t -> read(t.writeOnly, BASE + LENGTH, 8)),
                wrong("0103", "of another domain, and out of bounds", t -> read(t.foreign, BASE + LENGTH, 8)));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("refusedReads")
    @Requirement({
        "RDMAP-19",
        "RDMAP-24",
        "RDMAP-50",
        "RDMAP-51",
        "RDMAP-53",
        "RDMAP-81",
        "RDMAP-82",
        "RDMAP-83",
        "RDMAP-84",
        "RDMAP-85",
        "RDMAP-86",
        "SEC-1",
        "SEC-2",
        "SEC-4"
    })
    void refusedReadIsQuotedInTheTerminate(String code, String name, Function<RequestErrorTest, Segment> request) {
        Segment segment = request.apply(this);
        try (ScriptedPeer peer = established()) {
            peer.sends(segment, Segment.send(1, new byte[0]));
            peer.receivesTerminate(code + CONTROL_AND_BOTH_HEADERS + "002e"
                    + HexFormat.of().formatHex(segment.header())
                    + HexFormat.of().formatHex(segment.payload()));
            assertRefused(peer, code);
        }
    }

    static Stream<Arguments> wrongMessages() {
        byte[] nothing = {};
        return Stream.of(
                wrong("0100", "FetchAdd on an unknown STag", t -> Segment.fetchAdd(1, 0x12345678, BASE, 1, 0)),
                wrong("0100", "CmpSwap on a revoked STag", t -> swap(t.revoked, BASE)),
                wrong("0103", "FetchAdd on an STag of another domain", t -> add(t.foreign, BASE)),
                wrong("0103", "CmpSwap on an STag of another stream", t -> swap(t.otherStreams, BASE)),
                wrong("0102", "FetchAdd without the right", t -> add(t.writeOnly, BASE)),
                wrong("0104", "FetchAdd that wraps", t -> add(t.atTheEnd, -4)),
                wrong("0101", "FetchAdd half behind the last byte", t -> add(t.region, BASE + LENGTH - 4)),
                wrong("0101", "CmpSwap before the first byte", t -> swap(t.region, BASE - 8)),
                wrong("0207", "a misaligned FetchAdd", t -> add(t.region, BASE + 4)),
                wrong("0207", "a misaligned CmpSwap", t -> swap(t.region, BASE + 1)),
                wrong("0102", "a misaligned FetchAdd without the right", t -> add(t.writeOnly, BASE + 4)),
                wrong("0102", "a misaligned CmpSwap without the right", t -> swap(t.writeOnly, BASE + 1)),
                wrong("0103", "a misaligned FetchAdd in another domain", t -> add(t.foreign, BASE + 4)),
                wrong("0103", "a misaligned CmpSwap on another stream's", t -> swap(t.otherStreams, BASE + 4)),
                wrong("0100", "a misaligned FetchAdd on a revoked STag", t -> add(t.revoked, BASE + 4)),
                wrong("0104", "a misaligned FetchAdd that wraps", t -> add(t.atTheEnd, -1)),
                wrong("0206", "atomic operation 1", t -> atomicWithCode(t, 1)),
                wrong("0206", "atomic operation 3", t -> atomicWithCode(t, 3)),
                wrong("0206", "atomic operation 15", t -> atomicWithCode(t, 15)),
                wrong(
                        "02ff",
                        "a Read Request one byte short",
                        t -> read(t.region, BASE, 8)
                                .payload(Arrays.copyOf(read(t.region, BASE, 8).payload(), 27))),
                wrong(
                        "02ff",
                        "an empty Read Request",
                        t -> read(t.region, BASE, 8).payload(nothing)),
                wrong(
                        "1205",
                        "a Read Request one byte long",
                        t -> read(t.region, BASE, 8)
                                .payload(Arrays.copyOf(read(t.region, BASE, 8).payload(), 29))),
                wrong(
                        "02ff",
                        "an Atomic Request one byte short",
                        t -> add(t.region, BASE)
                                .payload(Arrays.copyOf(add(t.region, BASE).payload(), 51))),
                wrong(
                        "1205",
                        "an Atomic Request one byte long",
                        t -> add(t.region, BASE)
                                .payload(Arrays.copyOf(add(t.region, BASE).payload(), 53))),
                wrong("0209", "invalidation of an unknown STag", t -> invalidate(0x12345678)),
                wrong("0209", "invalidation of a revoked STag", t -> invalidate(t.revoked.stag())),
                wrong("0109", "invalidation of a shared STag", t -> invalidate(t.region.stag())),
                wrong("0109", "invalidation of another stream's", t -> invalidate(t.otherStreams.stag())),
                wrong("0109", "invalidation in another domain", t -> invalidate(t.foreign.stag())),
                wrong(
                        "0109",
                        "invalidation with solicited event",
                        t -> invalidate(t.region.stag()).opcode(6)),
                wrong(
                        "02ff",
                        "Immediate Data of no bytes",
                        t -> Segment.immediate(1, 0).payload(nothing)),
                wrong(
                        "02ff",
                        "Immediate Data of 7 bytes",
                        t -> Segment.immediate(1, 0).payload(new byte[7])),
                wrong(
                        "02ff",
                        "Immediate Data of 9 bytes",
                        t -> Segment.immediate(1, 0).payload(new byte[9])),
                wrong(
                        "02ff",
                        "Immediate Data with Solicited Event of no bytes",
                        t -> Segment.immediate(1, 0).opcode(9).payload(nothing)),
                wrong(
                        "02ff",
                        "Immediate Data with Solicited Event of 7 bytes",
                        t -> Segment.immediate(1, 0).opcode(9).payload(new byte[7])),
                wrong(
                        "02ff",
                        "Immediate Data with Solicited Event of 9 bytes",
                        t -> Segment.immediate(1, 0).opcode(9).payload(new byte[9])),
                wrong(
                        "02ff",
                        "Immediate Data of 4 bytes at message offset 4",
                        t -> Segment.immediate(1, 0).offset(4).payload(new byte[4])),
                wrong(
                        "02ff",
                        "Immediate Data at message offset 8",
                        t -> Segment.immediate(1, 0).offset(8)),
                wrong(
                        "02ff",
                        "Immediate Data whose last segment is to come",
                        t -> Segment.immediate(1, 0).last(false)),
                wrong(
                        "1204",
                        "the end of a Read Request alone",
                        t -> read(t.region, BASE, 8).offset(14).payload(new byte[14])),
                wrong(
                        "1204",
                        "the end of an Atomic Request alone",
                        t -> add(t.region, BASE).offset(51).payload(new byte[1])),
                wrong(
                        "1204",
                        "the end of a Send alone",
                        t -> Segment.send(1, nothing).offset(8)),
                wrong(
                        "0206",
                        "a Read Response without a request",
                        t -> Segment.readResponse(t.region.stag(), BASE, new byte[4])),
                wrong("0206", "an empty Read Response without a request", t -> Segment.readResponse(0, 0, nothing)),
                wrong("1202", "an Atomic Response without a request", t -> Segment.atomicResponse(1, 1, 0)),
                wrong(
                        "0206",
                        "a Read Request on queue 0",
                        t -> read(t.region, BASE, 8).queue(0)),
                wrong(
                        "0206",
                        "an Atomic Request on queue 3",
                        t -> add(t.region, BASE).queue(3)),
                wrong(
                        "0206",
                        "an Atomic Response on queue 1",
                        t -> Segment.atomicResponse(1, 1, 0).queue(1)),
                wrong(
                        "0206",
                        "Immediate Data on queue 1",
                        t -> Segment.immediate(1, 0).queue(1)),
                wrong(
                        "0206",
                        "a Send with Invalidate on queue 2",
                        t -> invalidate(1).queue(2)),
                wrong(
                        "0206",
                        "a tagged Atomic Request",
                        t -> Segment.write(t.region.stag(), BASE, new byte[52]).opcode(0xa)),
                wrong(
                        "0206",
                        "an untagged Read Response",
                        t -> Segment.send(1, nothing).opcode(2)));
    }

    /** Each message type but those of the Terminate and of the responses, in each version but 1. */
    static Stream<Arguments> wrongVersions() {
        Map<String, Function<RequestErrorTest, Segment>> messages = new LinkedHashMap<>();
        messages.put("a Write", t -> Segment.write(t.region.stag(), BASE, new byte[4]));
        messages.put("a Read Request", t -> read(t.region, BASE, 8));
        messages.put("a Send", t -> Segment.send(1, new byte[0]));
        messages.put("a Send with Invalidate", t -> invalidate(1));
        messages.put(
                "a Send with Solicited Event", t -> Segment.send(1, new byte[0]).opcode(5));
        messages.put("a Send with both", t -> invalidate(1).opcode(6));
        messages.put("Immediate Data", t -> Segment.immediate(1, 0));
        messages.put(
                "Immediate Data with Solicited Event",
                t -> Segment.immediate(1, 0).opcode(9));
        messages.put("a FetchAdd", t -> add(t.region, BASE));
        messages.put("a CmpSwap", t -> swap(t.region, BASE));
        return IntStream.of(0, 2, 3)
                .boxed()
                .flatMap(version -> messages.entrySet().stream()
                        .map(each -> wrong(
                                "0205",
                                each.getKey() + " of version " + version,
                                t -> each.getValue().apply(t).rdmapVersion(version))));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("wrongVersions")
    @Requirement({"RDMAP-79", "EXT-1", "EXT-33"})
    void aMessageOfAnotherVersionIsRefused(String code, String name, Function<RequestErrorTest, Segment> message) {
        assertNamedInTheTerminate(code, message.apply(this));
    }

    private static Segment atomicWithCode(RequestErrorTest test, int code) {
        return Segment.atomic(1, code, test.region.stag(), BASE, 1, 0, 0, -1);
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("wrongMessages")
    @Requirement({
        "RDMAP-39",
        "RDMAP-48",
        "RDMAP-53",
        "RDMAP-78",
        "RDMAP-80",
        "EXT-6",
        "EXT-9",
        "EXT-15",
        "EXT-16",
        "EXT-20",
        "EXT-29",
        "EXT-32",
        "EXT-33",
        "SEC-1",
        "SEC-2",
        "SEC-4",
        "SEC-7"
    })
    void aWrongMessageIsNamedInTheTerminate(String code, String name, Function<RequestErrorTest, Segment> message) {
        assertNamedInTheTerminate(code, message.apply(this));
    }

    private void assertNamedInTheTerminate(String code, Segment segment) {
        try (ScriptedPeer peer = established()) {
            peer.sends(segment, Segment.send(1, new byte[0]));
            peer.receivesTerminate(code
                    + CONTROL_AND_HEADER
                    + String.format("%04x", segment.ulpdu().length)
                    + HexFormat.of().formatHex(segment.header()));
            assertRefused(peer, code);
        }
    }

    @Test
    void reasonNamesTheRequestOfWrongLength() {
        for (boolean read : new boolean[] {true, false}) {
            try (ScriptedPeer peer = established()) {
                peer.sends((read ? read(region, BASE, 8) : add(region, BASE)).payload(new byte[3]));
                assertThat(peer.hearsOpcode()).isEqualTo(7);
                assertThat(peer.reason().detail())
                        .startsWith((read ? "a Read Request" : "an Atomic Request") + " has 3 bytes (expected: ");
            }
        }
    }

    @Test
    @Requirement({"RDMAP-24", "EXT-14"})
    void operationsOfPeersAreReportedAndCounted() {
        MemoryRegion open = register(domain, 0, null, AccessRight.values());
        try (ScriptedPeer peer = established()) {
            peer.sends(
                    Segment.write(open.stag(), 0, new byte[5]).last(false),
                    Segment.write(open.stag(), 5, new byte[4]),
                    Segment.write(open.stag(), 0, new byte[1]),
                    Segment.readRequest(1, SINK, 0, 6, open.stag(), 0),
                    Segment.fetchAdd(2, open.stag(), 0, 1, 0),
                    Segment.atomic(3, 2, open.stag(), 0, 0, -1, 0, 0));
            assertThat(peer.end.counters.get(Counter.PEER_READS_ACCEPTED)).isEqualTo(3);
            assertThat(peer.end.counters.get(Counter.PEER_READS_COMPLETED)).isZero();
            for (int opcode : new int[] {2, 0xb, 0xb}) {
                assertThat(peer.hearsOpcode()).isEqualTo(opcode);
            }
            peer.end.post(16);
            peer.sends(Segment.send(1, new byte[3]), Segment.immediate(2, 0));
            assertThat(peer.end.served)
                    .containsExactly(
                            "WRITE 9", "WRITE 1", "READ 6", "FETCH_ADD 8", "COMPARE_SWAP 8", "SEND 3", "IMMEDIATE 8");
            assertThat(peer.end.counters.get(Counter.PEER_READS_COMPLETED)).isEqualTo(3);
        }
        open.close();
    }

    @Test
    @Requirement({"RDMAP-28", "RDMAP-74", "SEC-11", "EXT-19"})
    void asManyRequestsAsAgreedGetResponsesAndOneMoreEndsTheStream() {
        Segment[] burst = new Segment[READS + 1];
        for (int i = 0; i < burst.length; i++) {
            burst[i] = i % 2 == 0
                    ? Segment.readRequest(i + 1, SINK, i, 1, region.stag(), BASE)
                    : Segment.fetchAdd(i + 1, region.stag(), BASE, 0, 0);
        }
        try (ScriptedPeer peer = established()) {
            peer.sends(Arrays.copyOf(burst, READS));
            for (int i = 0; i < READS; i++) {
                assertThat(peer.hears()[1] & 0xf).isEqualTo(i % 2 == 0 ? 2 : 0xb);
            }
        }
        try (ScriptedPeer peer = established()) {
            peer.sends(burst);
            peer.receivesTerminate(
                    "1202" + CONTROL_AND_HEADER + "002e" + HexFormat.of().formatHex(burst[READS].header()));
            assertRefused(peer, "1202");
        }
    }

    private ScriptedPeer established() {
        ScriptedPeer peer = ScriptedPeer.of(domain, SimulatedStream.TIMEOUTS, READS);
        peer.end.post(16);
        return peer;
    }

    private void assertRefused(ScriptedPeer refused, String code) {
        CloseReason reason = refused.reason();
        assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_FAULT);
        assertThat(reason.error()).isNotNull().isEqualTo(refused.end.terminateSent);
        assertThat(String.format(
                        "%x%x%02x",
                        reason.error().layer().number(),
                        reason.error().type(),
                        reason.error().code()))
                .isEqualTo(code);
        for (int i = 0; i < memory.capacity(); i++) {
            assertThat(memory.getByte(i)).as("byte %d", i).isEqualTo(PATTERN);
        }
        try (ScriptedPeer peer = established()) {
            peer.sends(Segment.readRequest(1, SINK, 7, 2, region.stag(), BASE));
            assertThat(peer.hears())
                    .isEqualTo(Segment.readResponse(SINK, 7, new byte[] {PATTERN, PATTERN})
                            .ulpdu());
        }
    }
}
