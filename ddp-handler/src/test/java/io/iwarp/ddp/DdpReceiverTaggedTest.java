package io.iwarp.ddp;

import static io.iwarp.ddp.ReceiverFixture.contentOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DdpReceiverTaggedTest {
    private static final long BASE = 0x1000;

    private final ReceiverFixture peer = new ReceiverFixture();
    private final MemoryRegion region = peer.region(16, BASE);

    @AfterEach
    void close() {
        peer.close();
    }

    @Test
    @Requirement({"DDP-11", "DDP-18", "DDP-19", "DDP-27", "DDP-39"})
    void placesThePayloadAtItsTaggedOffsetAndDeliversWithTheStag() {
        peer.receives(Segment.tagged(region.stag(), BASE + 3).control(0xAB).payload("hello"));

        assertThat(new String(contentOf(region), 3, 5, StandardCharsets.US_ASCII))
                .isEqualTo("hello");
        assertUntouched(0, 3);
        assertUntouched(8, 16);
        assertThat(peer.ulp.events).containsExactly(String.format("tagged %08x control ab", region.stag()));
        assertThat(peer.counters.get(Counter.SEGMENTS_PLACED)).isEqualTo(1);
        assertThat(peer.counters.get(Counter.BYTES_PLACED)).isEqualTo(5);
        assertThat(peer.counters.get(Counter.MESSAGES_DELIVERED)).isEqualTo(1);
    }

    @Test
    @Requirement("DDP-37")
    void deliversOnlyWithTheLastSegment() {
        peer.receives(Segment.tagged(region.stag(), BASE).last(false).payload("ab"));
        assertThat(peer.ulp.events).isEmpty();

        peer.receives(Segment.tagged(region.stag(), BASE + 2).payload("cd"));
        assertThat(peer.ulp.events).hasSize(1);
    }

    @Test
    @Requirement("DDP-35")
    void placesSegmentsInAnyOrderAndMoreThanOnce() {
        peer.receives(Segment.tagged(region.stag(), BASE + 4).last(false).payload("EFGH"));
        peer.receives(Segment.tagged(region.stag(), BASE + 2).last(false).payload("cdef"));
        peer.receives(Segment.tagged(region.stag(), BASE).payload("ab"));

        assertThat(Arrays.copyOf(contentOf(region), 8)).asString().isEqualTo("abcdefGH");
        assertThat(peer.ulp.faults).isEmpty();
    }

    @Test
    @Requirement("DDP-14")
    void reservedBitsAreIgnored() {
        peer.receives(Segment.tagged(region.stag(), BASE).reservedBits().payload("x"));

        assertThat(contentOf(region)[0]).isEqualTo((byte) 'x');
        assertThat(peer.ulp.faults).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0x7777_7777, -1})
    @Requirement("DDP-31")
    void aMessageWithoutBytesMayNameAnyStagAndOffset(int stag) {
        peer.receives(Segment.tagged(stag, -1));

        assertThat(peer.ulp.events).containsExactly(String.format("tagged %08x control 40", stag));
        assertThat(peer.counters.get(Counter.SEGMENTS_PLACED)).isZero();
    }

    @Test
    @Requirement("DDP-31")
    void acceptsTheGoldenZeroLengthWrite() {
        peer.receives(Ulpdus.ofFpdu(GoldenVectors.bytes("RDMA Write zero-length")));

        assertThat(peer.ulp.events).containsExactly("tagged 00000000 control 40");
    }

    @Test
    @Requirement({"DDP-31", "DDP-15"})
    void emptyTaggedMessageIsStillChecked() {
        peer.ulp.verdict = new ProtocolFault(ProtocolError.RDMAP_UNEXPECTED_OPCODE, "for the test");
        peer.receives(Segment.tagged(0, 0));

        assertThat(peer.ulp.events).containsExactly("fault RDMAP_UNEXPECTED_OPCODE");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3})
    @Requirement({"DDP-15", "DDP-49", "DDP-68"})
    void everyOtherVersionIsRefused(int version) {
        peer.receives(Segment.tagged(region.stag(), BASE).ddpVersion(version).payload("x"));

        assertFault(ProtocolError.DDP_TAGGED_INVALID_VERSION, 1, 1, 0x04);
    }

    @Test
    @Requirement("DDP-15")
    void theVersionMayNotChangeInTheMiddleOfAStream() {
        peer.receives(Segment.tagged(region.stag(), BASE).last(false).payload("a"));
        peer.receives(Segment.tagged(region.stag(), BASE + 1).ddpVersion(0).payload("b"));

        assertThat(peer.ulp.events).containsExactly("fault DDP_TAGGED_INVALID_VERSION");
        assertThat(contentOf(region)).startsWith('a', 0);
    }

    @Test
    @Requirement({"DDP-59", "DDP-64", "DDP-68"})
    void anUnknownStagIsInvalid() {
        peer.receives(Segment.tagged(region.stag() + 0x10000, BASE).payload("x"));

        assertFault(ProtocolError.DDP_TAGGED_INVALID_STAG, 1, 1, 0x00);
    }

    @Test
    @Requirement({"DDP-59", "DDP-74"})
    void aRevokedStagIsInvalid() {
        region.invalidate();
        peer.receives(Segment.tagged(region.stag(), BASE).payload("x"));

        assertFault(ProtocolError.DDP_TAGGED_INVALID_STAG, 1, 1, 0x00);
    }

    @Test
    @Requirement({"DDP-60", "DDP-68"})
    void aRegionWithoutTheRightIsAnInvalidStag() {
        MemoryRegion readOnly = peer.region(peer.domain, 16, BASE, AccessRight.REMOTE_READ);
        peer.receives(Segment.tagged(readOnly.stag(), BASE).payload("x"));

        assertFault(ProtocolError.DDP_TAGGED_INVALID_STAG, 1, 1, 0x00);
        assertThat(peer.ulp.faults.get(0).detail()).contains("REMOTE_WRITE");
        assertThat(contentOf(readOnly)).containsOnly(0);
    }

    @Test
    @Requirement("DDP-60")
    void ulpNamesTheRightOfASegment() {
        MemoryRegion sink = peer.region(peer.domain, 16, BASE, AccessRight.LOCAL_WRITE);
        peer.ulp.right = AccessRight.LOCAL_WRITE;
        peer.receives(Segment.tagged(sink.stag(), BASE).control(0x42).payload("x"));

        assertThat(peer.ulp.faults).isEmpty();
        assertThat(contentOf(sink)[0]).isEqualTo((byte) 'x');
    }

    @Test
    @Requirement({"DDP-59", "DDP-68", "DDP-70", "DDP-71", "DDP-75"})
    void aRegionOfAnotherProtectionDomainIsNotAssociated() {
        ProtectionDomain other = peer.otherDomain();
        MemoryRegion foreign = peer.region(other, 16, BASE, AccessRight.REMOTE_WRITE);
        peer.receives(Segment.tagged(foreign.stag(), BASE).payload("x"));

        assertFault(ProtocolError.DDP_TAGGED_STAG_NOT_ASSOCIATED, 1, 1, 0x02);
        assertThat(contentOf(foreign)).containsOnly(0);
    }

    @Test
    @Requirement({"DDP-59", "DDP-68", "DDP-70", "DDP-72", "DDP-75"})
    void aRegionOfAnotherStreamIsNotAssociated() {
        StreamAssociation other = peer.otherStream();
        MemoryRegion foreign = peer.keep(other.region()
                .allocate(ByteBufAllocator.DEFAULT, 16)
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_WRITE)
                .register());
        peer.receives(Segment.tagged(foreign.stag(), BASE).payload("x"));

        assertFault(ProtocolError.DDP_TAGGED_STAG_NOT_ASSOCIATED, 1, 1, 0x02);
        assertThat(contentOf(foreign)).containsOnly(0);
    }

    @ParameterizedTest
    @CsvSource({"-1, 1", "16, 1", "15, 2", "0, 17", "-1, 18", "1000, 1"})
    @Requirement({"DDP-61", "DDP-62", "DDP-64", "DDP-68"})
    void rangePartlyOutsideIsOutOfBounds(int from, int length) {
        peer.receives(Segment.tagged(region.stag(), BASE + from).payload(new byte[length]));

        assertFault(ProtocolError.DDP_TAGGED_BASE_OR_BOUNDS, 1, 1, 0x01);
    }

    @Test
    @Requirement({"DDP-61", "DDP-62"})
    void firstAndLastByteOfTheRegionAreInside() {
        peer.receives(Segment.tagged(region.stag(), BASE).payload("a"));
        peer.receives(Segment.tagged(region.stag(), BASE + 15).payload("b"));

        assertThat(peer.ulp.faults).isEmpty();
        assertThat(contentOf(region)).startsWith('a').endsWith('b');
    }

    @Test
    @Requirement({"DDP-63", "DDP-64", "DDP-68"})
    void aRangeThatWrapsAroundIsCalledSo() {
        peer.receives(Segment.tagged(region.stag(), -1).payload("xy"));

        assertFault(ProtocolError.DDP_TAGGED_TO_WRAP, 1, 1, 0x03);
    }

    @Test
    @Requirement({"DDP-63", "DDP-19"})
    void theLastByteOfTheOffsetSpaceDoesNotWrap() {
        MemoryRegion top = peer.region(2, -2);
        peer.receives(Segment.tagged(top.stag(), -2).payload("xy"));

        assertThat(peer.ulp.faults).isEmpty();
        assertThat(contentOf(top)).containsExactly('x', 'y');
        peer.receives(Segment.tagged(top.stag(), -2).payload("xyz"));
        assertFault(ProtocolError.DDP_TAGGED_TO_WRAP, 1, 1, 0x03);
    }

    @Test
    @Requirement("DDP-59")
    void associationIsJudgedBeforeRightWrapAndBounds() {
        ProtectionDomain other = peer.otherDomain();
        MemoryRegion foreign = peer.region(other, 16, BASE);
        peer.receives(Segment.tagged(foreign.stag(), -1).payload("xy"));

        assertFault(ProtocolError.DDP_TAGGED_STAG_NOT_ASSOCIATED, 1, 1, 0x02);
    }

    private void assertFault(ProtocolError error, int layer, int type, int code) {
        assertThat(peer.ulp.faults)
                .singleElement()
                .extracting(ProtocolFault::error)
                .isEqualTo(error);
        assertThat(ProtocolError.find(layer, type, code)).isEqualTo(error);
        assertThat(peer.ulp.events).last().asString().startsWith("fault");
        assertThat(contentOf(region)).containsOnly(0);
    }

    private void assertUntouched(int from, int to) {
        assertThat(Arrays.copyOfRange(contentOf(region), from, to)).containsOnly(0);
    }
}
