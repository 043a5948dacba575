package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Collections;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DdpReceiverUntaggedTest {
    private final ReceiverFixture peer = new ReceiverFixture();

    @AfterEach
    void close() {
        peer.close();
    }

    @Test
    @Requirement({"DDP-11", "DDP-16", "DDP-27", "DDP-38", "DDP-39"})
    void placesAMessageIntoTheNextBufferAndDeliversIt() {
        peer.ulp.post(0, 8);
        peer.receives(
                Segment.untagged(0, 1).control(0x44).invalidateStag(0xCAFE_BABE).payload("hello"));

        assertThat(peer.ulp.delivered).extracting(String::new).containsExactly("hello");
        assertThat(peer.ulp.events).containsExactly("untagged queue 0 MSN 1 control 44 rsvd cafebabe length 5");
        assertThat(peer.counters.get(Counter.SEGMENTS_PLACED)).isEqualTo(1);
        assertThat(peer.counters.get(Counter.BYTES_PLACED)).isEqualTo(5);
        assertThat(peer.counters.get(Counter.MESSAGES_DELIVERED)).isEqualTo(1);
    }

    @Test
    @Requirement({"DDP-37", "DDP-38"})
    void aMessageOfSeveralSegmentsIsDeliveredWithTheLastAndItsLength() {
        peer.ulp.post(0, 100);
        peer.receives(Segment.untagged(0, 1).last(false).payload("abc"));
        peer.receives(Segment.untagged(0, 1).last(false).offset(3).payload("defg"));
        assertThat(peer.ulp.events).isEmpty();

        peer.receives(Segment.untagged(0, 1).offset(7).payload("hi"));

        assertThat(peer.ulp.delivered).extracting(String::new).containsExactly("abcdefghi");
        assertThat(peer.ulp.events).singleElement().asString().endsWith("length 9");
    }

    @Test
    @Requirement({"DDP-35", "DDP-36"})
    void segmentsMayOverlapAndComeInAnyOrder() {
        peer.ulp.post(0, 100);
        peer.receives(Segment.untagged(0, 1).last(false).offset(4).payload("ef"));
        peer.receives(Segment.untagged(0, 1).last(false).offset(2).payload("cde"));
        peer.receives(Segment.untagged(0, 1).last(false).payload("ab"));
        peer.receives(Segment.untagged(0, 1).offset(6).payload("gh"));

        assertThat(peer.ulp.delivered).extracting(String::new).containsExactly("abcdefgh");
    }

    @Test
    @Requirement("DDP-69")
    void messageWithoutMemoryEndsTheStream() {
        peer.ulp.post(0, new UntaggedBuffer() {
            @Override
            protected long capacity() {
                return 8;
            }

            @Override
            protected @Nullable ByteSpan sinkFor(DdpSegment segment) {
                return null;
            }
        });
        peer.receives(Segment.untagged(0, 1).payload("hello"));

        assertThat(peer.ulp.events).containsExactly("fault DDP_UNTAGGED_NO_BUFFER");
        assertThat(peer.ulp.faults.get(0).detail())
                .startsWith("message 1 on queue 0: 5 bytes at message offset 0 found no memory");
        assertThat(peer.counters.get(Counter.SEGMENTS_PLACED)).isZero();
    }

    /** Otherwise a gap would show what the message before had there. */
    @Test
    @Requirement("DDP-37")
    void reusedBufferDoesNotCountEarlierBytes() {
        UntaggedBuffer buffer = peer.ulp.post(0, 8);
        assertThat(buffer.hasStarted()).isFalse();
        peer.receives(Segment.untagged(0, 1).payload("abcd"));
        assertThat(buffer.hasStarted()).isTrue();
        buffer.reset();
        assertThat(buffer.hasStarted()).isFalse();
        peer.ulp.post(0, buffer);
        peer.receives(Segment.untagged(0, 2).offset(2).payload("cd"));

        assertThat(peer.ulp.delivered).hasSize(1);
        assertThat(peer.ulp.events).last().isEqualTo("fault DDP_UNTAGGED_INVALID_MO");
    }

    static Stream<Arguments> incompleteMessages() {
        return Stream.of(
                incomplete("nothing before the last segment", new int[] {4, 5}),
                incomplete("the first byte is missing", new int[] {1, 4}, new int[] {4, 5}),
                incomplete("a byte in the middle is missing", new int[] {0, 2}, new int[] {3, 5}, new int[] {5, 6}),
                incomplete("the bytes before the last segment are missing", new int[] {0, 4}, new int[] {5, 6}),
                incomplete("a half twice", new int[] {0, 3}, new int[] {0, 3}, new int[] {6, 7}),
                incomplete("descending", new int[] {5, 6}, new int[] {3, 5}, new int[] {1, 3}, new int[] {6, 7}),
                incomplete("an empty last segment behind a gap", new int[] {0, 3}, new int[] {4, 4}),
                incomplete("an empty last segment alone", new int[] {1, 1}));
    }

    /** Segments from their first byte to their end; the last one has the L flag. */
    private static Arguments incomplete(String name, int[]... segments) {
        return Arguments.of(name, segments);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("incompleteMessages")
    @Requirement({"DDP-32", "DDP-37"})
    void messageWithAGapEndsTheStreamUndelivered(String name, int[][] segments) {
        for (int queue = 0; queue < DdpSegment.QUEUES; queue++) {
            try (ReceiverFixture each = new ReceiverFixture()) {
                ByteBuf memory = Unpooled.buffer(8).writeZero(8);
                each.ulp.post(queue, memory);
                for (int[] segment : segments) {
                    assertThat(each.ulp.faults).isEmpty();
                    Segment sent =
                            Segment.untagged(queue, 1).offset(segment[0]).payload("x".repeat(segment[1] - segment[0]));
                    boolean last = segment == segments[segments.length - 1];
                    each.receives(last ? sent : sent.last(false));
                }

                assertThat(each.ulp.delivered).isEmpty();
                assertThat(each.ulp.faults)
                        .singleElement()
                        .extracting(ProtocolFault::error)
                        .isEqualTo(ProtocolError.DDP_UNTAGGED_INVALID_MO);
                assertThat(memory.getByte(segments[segments.length - 1][0]))
                        .as("not placed")
                        .isZero();
            }
        }
    }

    @Test
    @Requirement("DDP-35")
    void thirtyTwoPiecesBeyondAGapAreKeptAndOneMoreEndsTheStream() {
        peer.ulp.post(0, 200);
        for (int piece = 32; piece > 0; piece--) {
            peer.receives(Segment.untagged(0, 1).last(false).offset(2L * piece).payload("x"));
        }
        peer.receives(Segment.untagged(0, 1).last(false).offset(64).payload("xx"));
        assertThat(peer.ulp.faults).isEmpty();

        peer.receives(Segment.untagged(0, 1).last(false).offset(80).payload("x"));

        assertFault(ProtocolError.DDP_LOCAL_CATASTROPHIC, 1, 0, 0x00);
        assertThat(peer.ulp.faults.get(0).detail()).contains("32 pieces");
    }

    @Test
    @Requirement({"DDP-16", "DDP-17"})
    void rsvdUlpIsThatOfTheFirstSegment() {
        peer.ulp.post(0, 100);
        peer.receives(Segment.untagged(0, 1)
                .control(0x43)
                .invalidateStag(1)
                .last(false)
                .payload("ab"));
        peer.receives(
                Segment.untagged(0, 1).control(0x45).invalidateStag(2).offset(2).payload("cd"));

        assertThat(peer.ulp.events).containsExactly("untagged queue 0 MSN 1 control 43 rsvd 00000001 length 4");
    }

    @Test
    @Requirement({"DDP-14", "DDP-30"})
    void aMessageWithoutBytesUsesUpABuffer() {
        peer.ulp.post(0, 4);
        peer.ulp.post(0, 4);
        peer.receives(Segment.untagged(0, 1).reservedBits());
        peer.receives(Segment.untagged(0, 2).payload("x"));

        assertThat(peer.ulp.events)
                .containsExactly(
                        "untagged queue 0 MSN 1 control 43 rsvd 00000000 length 0",
                        "untagged queue 0 MSN 2 control 43 rsvd 00000000 length 1");
    }

    @Test
    void aBufferWithoutRoomTakesAMessageWithoutBytes() {
        peer.ulp.post(0, 0);
        peer.receives(Segment.untagged(0, 1));

        assertThat(peer.ulp.delivered).singleElement().isEqualTo(new byte[0]);
    }

    @Test
    @Requirement({"DDP-36", "DDP-37"})
    void laterCompleteMessageWaitsForEarlierOnes() {
        for (int i = 0; i < 4; i++) {
            peer.ulp.post(0, 4);
        }
        peer.receives(Segment.untagged(0, 3).payload("c"));
        peer.receives(Segment.untagged(0, 2).payload("b"));
        peer.receives(Segment.untagged(0, 1).last(false).payload("a"));
        assertThat(peer.ulp.delivered).isEmpty();

        peer.receives(Segment.untagged(0, 1).offset(1).payload("a"));

        assertThat(peer.ulp.delivered).extracting(String::new).containsExactly("aa", "b", "c");
        peer.receives(Segment.untagged(0, 4).payload("d"));
        assertThat(peer.ulp.delivered).hasSize(4);
    }

    @Test
    @Requirement("DDP-36")
    void aCompleteMessageThatWaitsTakesNoMoreSegments() {
        peer.ulp.post(0, 4);
        peer.ulp.post(0, 4);
        peer.receives(Segment.untagged(0, 2).payload("b"));
        peer.receives(Segment.untagged(0, 2).payload("B"));

        assertFault(ProtocolError.DDP_UNTAGGED_MSN_OUT_OF_RANGE, 1, 2, 0x03);
        assertThat(peer.ulp.delivered).isEmpty();
    }

    @Test
    @Requirement({"DDP-20", "DDP-21"})
    void theFourQueuesCountForThemselves() {
        for (int queue = 0; queue < 4; queue++) {
            peer.ulp.post(queue, 4);
            peer.receives(Segment.untagged(queue, 1).payload("x"));
        }
        peer.ulp.post(2, 4);
        peer.receives(Segment.untagged(2, 2).payload("x"));

        assertThat(peer.ulp.events)
                .extracting(event -> event.substring(0, 22))
                .containsExactly(
                        "untagged queue 0 MSN 1",
                        "untagged queue 1 MSN 1",
                        "untagged queue 2 MSN 1",
                        "untagged queue 3 MSN 1",
                        "untagged queue 2 MSN 2");
    }

    @Test
    @Requirement("DDP-21")
    void messageNumbersWrapToZero() {
        try (ReceiverFixture late = new ReceiverFixture(0xFFFF_FFFF)) {
            late.ulp.post(0, 4);
            late.ulp.post(0, 4);
            late.ulp.post(0, 4);
            late.receives(Segment.untagged(0, 0).payload("b"));
            late.receives(Segment.untagged(0, 0xFFFF_FFFF).payload("a"));
            late.receives(Segment.untagged(0, 1).payload("c"));

            assertThat(late.ulp.delivered).extracting(String::new).containsExactly("a", "b", "c");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF})
    @Requirement({"DDP-54", "DDP-64", "DDP-68"})
    void thereAreFourQueues(int queueNumber) {
        peer.receives(Segment.untagged(queueNumber, 1).payload("x"));

        assertFault(ProtocolError.DDP_UNTAGGED_INVALID_QN, 1, 2, 0x01);
    }

    @Test
    @Requirement("DDP-54")
    void queueNumberIsCheckedBeforeTheUlp() {
        peer.ulp.verdict = new ProtocolFault(ProtocolError.RDMAP_UNEXPECTED_OPCODE, "for the test");
        peer.receives(Segment.untagged(4, 1));

        assertFault(ProtocolError.DDP_UNTAGGED_INVALID_QN, 1, 2, 0x01);
    }

    @Test
    @Requirement("DDP-64")
    void ulpChecksBeforeTheBufferLookup() {
        peer.ulp.verdict = new ProtocolFault(ProtocolError.RDMAP_INVALID_VERSION, "for the test");
        peer.receives(Segment.untagged(0, 77));

        assertFault(ProtocolError.RDMAP_INVALID_VERSION, 0, 2, 0x05);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x"})
    @Requirement({"DDP-55", "DDP-68", "DDP-69"})
    void theNextMessageFindsNoBufferAndIsTheLastToDoSo(String payload) {
        peer.ulp.post(1, 4);
        peer.receives(Segment.untagged(0, 1).payload(payload));
        peer.receives(Segment.untagged(0, 1).payload(payload));

        assertFault(ProtocolError.DDP_UNTAGGED_NO_BUFFER, 1, 2, 0x02);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 4, 1000, 0x8000_0001, 0x7FFF_FFFF})
    @Requirement({"DDP-58", "DDP-68"})
    void aNumberOutsideTheBuffersIsOutOfRange(int msn) {
        UntaggedBuffer first = peer.ulp.post(0, 4);
        UntaggedBuffer second = peer.ulp.post(0, 4);
        peer.receives(Segment.untagged(0, msn).payload("x"));

        assertFault(ProtocolError.DDP_UNTAGGED_MSN_OUT_OF_RANGE, 1, 2, 0x03);
        assertThat(RecordingUlp.bytes(first.sink(), 4)).containsOnly(0);
        assertThat(RecordingUlp.bytes(second.sink(), 4)).containsOnly(0);
    }

    @Test
    @Requirement({"DDP-36", "DDP-58"})
    void aNumberThatWasDeliveredIsOutOfRange() {
        peer.ulp.post(0, 4);
        peer.ulp.post(0, 4);
        peer.receives(Segment.untagged(0, 1).payload("x"));
        peer.receives(Segment.untagged(0, 1).payload("x"));

        assertFault(ProtocolError.DDP_UNTAGGED_MSN_OUT_OF_RANGE, 1, 2, 0x03);
        assertThat(peer.ulp.delivered).hasSize(1);
    }

    @Test
    @Requirement("DDP-58")
    void withoutABufferOnlyTheNextNumberIsCalledMissing() {
        peer.receives(Segment.untagged(0, 2).payload("x"));

        assertFault(ProtocolError.DDP_UNTAGGED_MSN_OUT_OF_RANGE, 1, 2, 0x03);
    }

    @ParameterizedTest
    @CsvSource({"5, 1", "5, 0", "100, 4", "4294967295, 1", "4294967295, 2", "2147483648, 0"})
    @Requirement({"DDP-56", "DDP-64", "DDP-68"})
    void anOffsetBeyondTheBufferIsInvalid(long offset, int length) {
        UntaggedBuffer buffer = peer.ulp.post(0, 4);
        peer.receives(Segment.untagged(0, 1).offset(offset).payload(new byte[length]));

        assertFault(ProtocolError.DDP_UNTAGGED_INVALID_MO, 1, 2, 0x04);
        assertThat(buffer.isComplete()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, 5", "3, 2", "4, 1", "1, 1000"})
    @Requirement({"DDP-57", "DDP-64", "DDP-68"})
    void aMessageThatDoesNotFitIsTooLong(long offset, int length) {
        ByteBuf memory = Unpooled.buffer(8).writeZero(8);
        UntaggedBuffer buffer = new UntaggedBuffer();
        buffer.sink().wrap(memory, 2, 4);
        peer.ulp.post(0, buffer);
        byte[] payload = new byte[length];
        Arrays.fill(payload, (byte) 1);
        peer.receives(Segment.untagged(0, 1).offset(offset).payload(payload));

        assertFault(ProtocolError.DDP_UNTAGGED_MESSAGE_TOO_LONG, 1, 2, 0x05);
        assertThat(memory).isEqualTo(Unpooled.wrappedBuffer(new byte[8]));
    }

    @Test
    @Requirement({"DDP-56", "DDP-57"})
    void aMessageMayFillItsBufferToTheLastByte() {
        peer.ulp.post(0, 4);
        peer.receives(Segment.untagged(0, 1).last(false).payload("abcd"));
        peer.receives(Segment.untagged(0, 1).offset(4));

        assertThat(peer.ulp.delivered).extracting(String::new).containsExactly("abcd");
    }

    @Test
    @Requirement({"DDP-25", "DDP-57"})
    void offsetPlusLengthIsAtMostTheMaximumMessageLength() {
        ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(1 << 20, 1 << 20).setZero(0, 1 << 20);
        try (ProtectionDomain domain = IwarpDevice.create().createProtectionDomain();
                MemoryRegion region = domain.region()
                        .buffers(Collections.nCopies(4097, memory))
                        .register()) {
            UntaggedBuffer buffer = new UntaggedBuffer();
            buffer.sink().cover(region.slice(0, region.length()));
            peer.ulp.post(0, buffer);
            peer.receives(
                    Segment.untagged(0, 1).last(false).offset(0xFFFF_FFFEL).payload("x"));
            assertThat(peer.ulp.faults).isEmpty();

            peer.receives(Segment.untagged(0, 1).offset(0xFFFF_FFFFL).payload("y"));

            assertFault(ProtocolError.DDP_UNTAGGED_MESSAGE_TOO_LONG, 1, 2, 0x05);
            assertThat(memory.getByte((1 << 20) - 2)).isEqualTo((byte) 'x');
            assertThat(memory.getByte((1 << 20) - 1)).isZero();
        } finally {
            memory.release();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3})
    @Requirement({"DDP-15", "DDP-49", "DDP-68"})
    void everyOtherVersionIsRefused(int version) {
        UntaggedBuffer buffer = peer.ulp.post(0, 4);
        peer.receives(Segment.untagged(0, 1).ddpVersion(version).payload("x"));

        assertFault(ProtocolError.DDP_UNTAGGED_INVALID_VERSION, 1, 2, 0x06);
        assertThat(RecordingUlp.bytes(buffer.sink(), 4)).containsOnly(0);
    }

    @Test
    @Requirement("DDP-68")
    void releasedReceiveBufferIsALocalCatastrophe() {
        ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(4);
        peer.ulp.post(0, memory);
        memory.release();
        peer.receives(Segment.untagged(0, 1).payload("x"));

        assertFault(ProtocolError.DDP_LOCAL_CATASTROPHIC, 1, 0, 0x00);
    }

    @Test
    void aReceiveBufferThatCannotBeWrittenIsALocalCatastrophe() {
        peer.ulp.post(0, Unpooled.wrappedBuffer(new byte[4]).asReadOnly());
        peer.receives(Segment.untagged(0, 1).payload("x"));

        assertFault(ProtocolError.DDP_LOCAL_CATASTROPHIC, 1, 0, 0x00);
    }

    @Test
    void aBufferCanBeUsedAgainAfterReset() {
        UntaggedBuffer buffer = peer.ulp.post(0, 4);
        peer.receives(Segment.untagged(0, 1).control(0x44).invalidateStag(9).payload("abc"));
        buffer.reset();
        peer.ulp.post(0, buffer);
        peer.receives(Segment.untagged(0, 2).payload("d"));

        assertThat(peer.ulp.events)
                .containsExactly(
                        "untagged queue 0 MSN 1 control 44 rsvd 00000009 length 3",
                        "untagged queue 0 MSN 2 control 43 rsvd 00000000 length 1");
        assertThat(buffer).hasToString("UntaggedBuffer[1 bytes, room for 4 bytes]");
    }

    private void assertFault(ProtocolError error, int layer, int type, int code) {
        assertThat(peer.ulp.faults)
                .singleElement()
                .extracting(ProtocolFault::error)
                .isEqualTo(error);
        assertThat(ProtocolError.find(layer, type, code)).isEqualTo(error);
    }
}
