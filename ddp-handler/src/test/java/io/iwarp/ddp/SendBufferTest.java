package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.mpa.Ulpdu;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SendBufferTest {
    private static final int WRITE = 0x40;
    private static final int SEND = 0x43;

    static List<Arguments> goldenMessages() {
        HexFormat hex = HexFormat.of();
        return List.of(
                Arguments.of("RDMA Write, stag 0x11223344", 1, write(0x11223344, 0x0102030405060708L, "hello")),
                Arguments.of("RDMA Write zero-length", 1, write(0, 0, "")),
                Arguments.of(
                        "RDMA Read Request MSN 1",
                        1,
                        untagged(
                                0x41,
                                0,
                                1,
                                hex.parseHex("a1a2a3a4" + "0000000000001000" + "00001000" + "b1b2b3b4"
                                        + "0000000000002000"))),
                Arguments.of("RDMA Read Request zero-length", 1, untagged(0x41, 0, 1, new byte[28])),
                Arguments.of("RDMA Read Response zero-length", 1, tagged(0x42, 0, 0, new byte[0])),
                Arguments.of(
                        "RDMA Read Response 4 octets", 1, tagged(0x42, 0xa1a2a3a4, 0x1000, hex.parseHex("deadbeef"))),
                Arguments.of("Send zero-length MSN 1", 1, untagged(SEND, 0, 0, new byte[0])),
                Arguments.of("Send with Invalidate", 7, untagged(0x44, 0xcafebabe, 0, ascii("x"))),
                Arguments.of("Send with SE MSN 8", 8, untagged(0x45, 0, 0, ascii("y"))),
                Arguments.of("Send with SE and Invalidate", 9, untagged(0x46, 0xcafebabe, 0, new byte[0])),
                Arguments.of("Send MSN 0xffffffff then MSN 0", -1, untagged(SEND, 0, 0, ascii("a"))),
                Arguments.of("second (wrapped)", 0, untagged(SEND, 0, 0, ascii("b"))),
                Arguments.of("Terminate, MPA CRC error", 1, untagged(0x47, 0, 2, hex.parseHex("20020000"))),
                Arguments.of("Immediate Data 01..08", 3, untagged(0x48, 0, 0, hex.parseHex("0102030405060708"))),
                Arguments.of(
                        "Atomic Response id 5",
                        1,
                        untagged(0x4b, 0, 3, hex.parseHex("00000005" + "00000000000000ff"))));
    }

    @ParameterizedTest
    @MethodSource("goldenMessages")
    @Requirement({"DDP-11", "DDP-12", "DDP-14", "DDP-15", "DDP-16", "DDP-18", "DDP-20", "DDP-21", "DDP-22"})
    void makesTheGoldenBytes(String vector, int firstMsn, DdpMessage message) {
        SendBuffer buffer = Ulpdus.buffer(firstMsn);

        List<byte[]> segments = Ulpdus.cut(buffer, message, 1442);

        assertThat(segments).containsExactly(Ulpdus.ofFpdu(GoldenVectors.bytes(vector)));
    }

    @Test
    @Requirement({"DDP-12", "DDP-13", "DDP-24", "DDP-28", "MPA-5"})
    void cutsTheUntaggedExampleOfTheRfc() {
        List<DdpSegment> segments = cut(untagged(SEND, 0, 0, new byte[2048]), 1500);

        assertThat(segments).extracting(DdpSegment::messageOffset).containsExactly(0L, 1482L);
        assertThat(segments).extracting(DdpSegment::payloadLength).containsExactly(1482, 566);
        assertThat(segments).extracting(DdpSegment::last).containsExactly(false, true);
        assertThat(segments).extracting(DdpSegment::ulpduLength).containsExactly(1500, 584);
    }

    @Test
    @Requirement({"DDP-12", "DDP-13", "DDP-24", "DDP-29", "MPA-5"})
    void cutsTheTaggedExampleOfTheRfc() {
        List<DdpSegment> segments = cut(tagged(WRITE, 7, 16384, new byte[2048]), 1500);

        assertThat(segments).extracting(DdpSegment::taggedOffset).containsExactly(16384L, 17870L);
        assertThat(segments).extracting(DdpSegment::payloadLength).containsExactly(1486, 562);
        assertThat(segments).extracting(DdpSegment::last).containsExactly(false, true);
    }

    @Test
    @Requirement("DDP-24")
    void aMessageThatJustFitsIsOneSegmentAndOneByteMoreMakesTwo() {
        assertThat(cut(untagged(SEND, 0, 0, new byte[1482]), 1500)).hasSize(1);
        assertThat(cut(untagged(SEND, 0, 0, new byte[1483]), 1500)).hasSize(2);
        assertThat(cut(tagged(WRITE, 7, 0, new byte[1486]), 1500)).hasSize(1);
        assertThat(cut(tagged(WRITE, 7, 0, new byte[1487]), 1500)).hasSize(2);
    }

    @Test
    @Requirement({"DDP-23", "DDP-30"})
    void aMessageWithoutBytesIsOneSegmentWithOnlyAHeader() {
        assertThat(cut(untagged(SEND, 0, 0, new byte[0]), 128)).singleElement().satisfies(segment -> {
            assertThat(segment.last()).isTrue();
            assertThat(segment.ulpduLength()).isEqualTo(18);
            assertThat(segment.messageOffset()).isZero();
        });
        assertThat(cut(tagged(WRITE, 7, 3, new byte[0]), 128)).singleElement().satisfies(segment -> {
            assertThat(segment.last()).isTrue();
            assertThat(segment.ulpduLength()).isEqualTo(14);
        });
    }

    @Test
    @Requirement({"DDP-14", "DDP-15", "DDP-16", "DDP-18", "DDP-20", "DDP-21"})
    void segmentsOfAMessageShareTheirHeader() {
        List<DdpSegment> sends = cut(untagged(0xE9, 0x89ABCDEF, 3, new byte[1000]), 128);
        List<DdpSegment> writes = cut(tagged(0xA5, 0xFFFF_FFFF, 5, new byte[1000]), 128);

        assertThat(sends).hasSize(10).allSatisfy(segment -> {
            assertThat(segment.buffer().getUnsignedByte(0) & ~DdpSegment.LAST_FLAG)
                    .isEqualTo(DdpSegment.VERSION);
            assertThat(segment.control()).isEqualTo(0xE9);
            assertThat(segment.rsvdUlp()).isEqualTo(0x89ABCDEF);
            assertThat(segment.queueNumber()).isEqualTo(3);
            assertThat(segment.msn()).isEqualTo(1);
        });
        assertThat(writes).hasSize(9).allSatisfy(segment -> {
            assertThat(segment.buffer().getUnsignedByte(0) & ~DdpSegment.LAST_FLAG)
                    .isEqualTo(DdpSegment.TAGGED_FLAG | DdpSegment.VERSION);
            assertThat(segment.control()).isEqualTo(0xA5);
            assertThat(segment.stag()).isEqualTo(0xFFFF_FFFF);
        });
    }

    @Test
    @Requirement({"DDP-21", "DDP-33"})
    void messageSequenceNumbersArePerQueue() {
        SendBuffer buffer = Ulpdus.buffer();
        List<Integer> numbers = new ArrayList<>();
        for (int queue : new int[] {0, 1, 0, 3, 2, 0, 1}) {
            Ulpdus.cut(buffer, write(1, 1, "between"), 128);
            List<byte[]> segments = Ulpdus.cut(buffer, untagged(SEND, 0, queue, new byte[200]), 128);
            numbers.add(Ulpdus.segment(segments.get(0)).msn());
            assertThat(Ulpdus.segment(segments.get(1)).msn()).isEqualTo(numbers.get(numbers.size() - 1));
        }

        assertThat(numbers).containsExactly(1, 1, 2, 1, 1, 3, 2);
    }

    @Test
    @Requirement("DDP-21")
    void messageNumbersWrapToZero() {
        SendBuffer buffer = Ulpdus.buffer(0xFFFF_FFFF);
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            numbers.add(Ulpdus.segment(Ulpdus.cut(buffer, untagged(SEND, 0, 0, new byte[1]), 128)
                            .get(0))
                    .msn());
        }

        assertThat(numbers).containsExactly(0xFFFF_FFFF, 0, 1);
    }

    @Test
    @Requirement("DDP-19")
    void aTaggedMessageMayStartAnywhereAlsoJustBelowTheEnd() {
        List<DdpSegment> segments = cut(tagged(WRITE, 7, -200, new byte[200]), 128);

        assertThat(segments).extracting(DdpSegment::taggedOffset).containsExactly(-200L, -86L);
        assertThat(cut(tagged(WRITE, 7, 12345, new byte[200]), 128))
                .extracting(DdpSegment::taggedOffset)
                .containsExactly(12345L, 12459L);
    }

    @Test
    @Requirement({"DDP-1", "DDP-2"})
    void aNewMulpduHoldsForTheSegmentsThatAreNotCutYet() {
        SendBuffer buffer = Ulpdus.bufferOf(tagged(WRITE, 7, 0, new byte[2000]));
        Ulpdu ulpdu = new Ulpdu();
        List<Integer> lengths = new ArrayList<>();
        for (int mulpdu : new int[] {1014, 514, 128, 1500}) {
            buffer.cut(ulpdu, mulpdu);
            lengths.add(ulpdu.length() - DdpSegment.TAGGED_HEADER_LENGTH);
        }

        assertThat(lengths).containsExactly(1000, 500, 114, 386);
        assertThat(buffer.sendable()).isFalse();
    }

    @Test
    @Requirement("DDP-33")
    void messagesNeverInterleave() {
        SendBuffer buffer = Ulpdus.bufferOf(tagged(WRITE, 1, 0, new byte[200]));
        Ulpdus.send(buffer, tagged(WRITE, 2, 0, new byte[200]));
        buffer.add(tagged(WRITE, 3, 0, new byte[200]));
        List<Integer> stags = new ArrayList<>();
        Ulpdu ulpdu = new Ulpdu();
        while (buffer.sendable()) {
            buffer.cut(ulpdu, 128);
            stags.add(Ulpdus.segment(Ulpdus.bytes(ulpdu)).stag());
        }

        assertThat(stags).as("the third message is not flushed").containsExactly(1, 1, 2, 2);
        assertThat(buffer.isInsideMessage()).isFalse();
    }

    @Test
    @Requirement("DDP-34")
    void keepsMessageOrderAcrossConcurrentBursts() {
        EmbeddedChannel channel = new EmbeddedChannel();
        Seeds.forEach(50, (seed, random) -> {
            SendBuffer buffer = Ulpdus.buffer();
            Ulpdu ulpdu = new Ulpdu();
            List<DdpMessage> unsent = new ArrayList<>();
            List<Integer> messagesOfBursts = new ArrayList<>();
            List<ChannelPromise> promises = new ArrayList<>();
            for (int step = 0; step < 500; step++) {
                if (random.nextInt(5) < 3) {
                    int count = random.nextInt(3);
                    for (int i = 0; i < count; i++) {
                        DdpMessage message = write(1, 0, "x".repeat(random.nextInt(300)));
                        unsent.add(message);
                        Ulpdus.send(buffer, message);
                        while (buffer.sendable()) {
                            buffer.cut(ulpdu, 128);
                        }
                    }
                    ChannelPromise promise = channel.newPromise();
                    buffer.endBurst(promise);
                    messagesOfBursts.add(count);
                    promises.add(promise);
                } else if (!promises.isEmpty()) {
                    promises.get(random.nextInt(promises.size())).trySuccess();
                }
                while (buffer.completedBurst() != null) {
                    assertThat(buffer.completedBurst()).isSameAs(promises.remove(0));
                    int count = messagesOfBursts.remove(0);
                    assertThat(buffer.removeBurst(true)).isEqualTo(count > 0);
                    for (int i = 0; i < count; i++) {
                        assertThat(buffer.takeSent()).isSameAs(unsent.remove(0));
                    }
                    assertThat(buffer.takeSent()).isNull();
                }
                assertThat(promises.isEmpty() || !promises.get(0).isDone()).isTrue();
                assertThat(buffer.isEmpty()).isEqualTo(promises.isEmpty());
            }
        });
    }

    @Test
    void messageWithReleasedMemoryIsNotCut() {
        ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(64);
        DdpMessage message = new DdpMessage().tagged(WRITE, 1, 0);
        message.payload().wrap(memory, 0, 64);
        SendBuffer buffer = Ulpdus.bufferOf(message);
        memory.release();

        assertThatThrownBy(() -> buffer.cut(new Ulpdu(), 128)).isInstanceOf(IllegalStateException.class);
        assertThat(buffer.sendable()).isTrue();
    }

    @Test
    void aPayloadIsCopiedWhilePeersMayChangeItsRegionAndOnlyThen() {
        try (ProtectionDomain domain = ProtectionDomain.create()) {
            for (AccessRight right : AccessRight.values()) {
                boolean changing = right == AccessRight.REMOTE_WRITE || right == AccessRight.REMOTE_ATOMIC;
                ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(512, 512);
                try (MemoryRegion region =
                                domain.region().buffers(memory).rights(right).register();
                        MemoryRegion plain = domain.region().buffers(memory).register()) {
                    assertThat(cutsByReference(region, memory)).isEqualTo(!changing);
                    try (MemoryWindow first = plain.window(8, 16).rights(right).bind();
                            MemoryWindow second =
                                    plain.window(0, 8).rights(right).bind()) {
                        first.invalidate();
                        first.invalidate();
                        assertThat(second.isValid()).isTrue();
                        assertThat(cutsByReference(plain, memory)).isEqualTo(!changing);
                    }
                    assertThat(cutsByReference(plain, memory)).isTrue();
                    region.invalidate();
                    assertThat(cutsByReference(region, memory)).isTrue();
                } finally {
                    memory.release();
                }
            }
        }
    }

    /** A buffer reserves what it holds beyond 72 KiB: copies and headers, not memory that is sent by reference. */
    @ParameterizedTest
    @CsvSource({
        "false, 60000, 20, 0",
        "false, 60000, 0, 20",
        "true, 60000, 20, 20",
        "false, 4000, 100, 100",
        "true, 4000, 100, 100"
    })
    void copiesAndHeadersAreReserved(boolean markers, int length, int buffers, int copies) {
        IwarpDevice device = IwarpDevice.builder().maxSendingBytes(1L << 30).build();
        try (ProtectionDomain domain = device.createProtectionDomain();
                MemoryRegion region = domain.allocate(length, AccessRight.REMOTE_WRITE)) {
            StreamAssociation stream = StreamAssociation.open(domain);
            SendBuffer buffer = new SendBuffer(ByteBufAllocator.DEFAULT, 1 << 30, stream.sendReservation());
            buffer.setMarkers(markers);
            ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(length, length);
            Ulpdu ulpdu = new Ulpdu();
            for (int i = 0; i < Math.max(buffers, copies); i++) {
                DdpMessage message = new DdpMessage();
                if (buffers == 0) {
                    message.payload().cover(region.slice(0, length));
                } else {
                    message.payload().wrap(memory, 0, length);
                }
                Ulpdus.send(buffer, message);
                assertThat(buffer.reserve(1 << 16)).isTrue();
                buffer.cut(ulpdu, 1 << 16);
            }
            long held = (long) copies * length;
            assertThat(device.sendingBytes()).isBetween(Math.max(0, held - 72 * 1024), held + 128 * 1024);
            ulpdu.clearPayload();
            buffer.releaseCopy();
            Ulpdus.take(buffer);
            assertThat(device.sendingBytes()).isZero();
            stream.close();
            memory.release();
        }
    }

    private static boolean cutsByReference(MemoryRegion region, ByteBuf memory) {
        SendBuffer buffer = Ulpdus.buffer();
        DdpMessage message = new DdpMessage();
        message.payload().cover(region.slice(0, 100));
        Ulpdu ulpdu = new Ulpdu();
        Ulpdus.send(buffer, message);
        buffer.cut(ulpdu, 1000);
        byte[] before = Ulpdus.bytes(ulpdu);
        memory.setByte(0, memory.getByte(0) + 1);
        boolean byReference = !Arrays.equals(Ulpdus.bytes(ulpdu), before);
        ulpdu.clearPayload();
        buffer.releaseCopy();
        return byReference;
    }

    @Test
    @Requirement({"DDP-24", "DDP-26"})
    void segmentsAreFullAlsoWhereTheMemoryHasSeams() {
        try (ProtectionDomain domain = ProtectionDomain.create()) {
            List<ByteBuf> pieces = new ArrayList<>();
            for (int size : new int[] {100, 1, 300, 7, 150}) {
                pieces.add(ByteBufAllocator.DEFAULT.directBuffer(size, size));
            }
            try (MemoryRegion region = domain.region().buffers(pieces).register()) {
                byte[] content = new byte[558];
                for (int i = 0; i < content.length; i++) {
                    content[i] = (byte) (i * 31);
                }
                region.setBytes(0, Unpooled.wrappedBuffer(content));
                DdpMessage message = new DdpMessage().tagged(WRITE, 1, 0);
                message.payload().cover(region.slice(3, 550));

                List<DdpSegment> segments = cut(message, 128);

                assertThat(segments).extracting(DdpSegment::payloadLength).containsExactly(114, 114, 114, 114, 94);
                ByteBuf sent = Unpooled.buffer();
                segments.forEach(s -> sent.writeBytes(s.buffer(), s.payloadIndex(), s.payloadLength()));
                assertThat(sent).isEqualTo(Unpooled.wrappedBuffer(content, 3, 550));
            }
            pieces.forEach(ByteBuf::release);
        }
    }

    @Test
    @Requirement({"DDP-25", "DDP-26", "DDP-28"})
    void aMessageOfTheGreatestLengthIsCutToTheLastByte() {
        long greatest = 0xFFFF_FFFFL;
        withHugeRegion(region -> {
            DdpMessage message = new DdpMessage().untagged(SEND, 0, 0);
            message.payload().cover(region.slice(0, greatest));
            SendBuffer buffer = Ulpdus.bufferOf(message);
            Ulpdu ulpdu = new Ulpdu();
            long sent = 0;
            while (buffer.sendable()) {
                buffer.cut(ulpdu, 64768);
                assertThat(ulpdu.header().getUnsignedInt(DdpSegment.MESSAGE_OFFSET_OFFSET))
                        .isEqualTo(sent);
                assertThat(ulpdu.header().getByte(0) & DdpSegment.LAST_FLAG)
                        .isEqualTo(buffer.sendable() ? 0 : DdpSegment.LAST_FLAG);
                sent += ulpdu.length() - DdpSegment.UNTAGGED_HEADER_LENGTH;
            }
            buffer.releaseCopy();
            assertThat(sent).isEqualTo(greatest);
        });
    }

    /** 4 GiB of offsets over one MiB of memory. */
    private static void withHugeRegion(Consumer<MemoryRegion> test) {
        ByteBuf memory = ByteBufAllocator.DEFAULT.directBuffer(1 << 20, 1 << 20);
        try (ProtectionDomain domain = IwarpDevice.create().createProtectionDomain();
                MemoryRegion region = domain.region()
                        .buffers(Collections.nCopies(4096, memory))
                        .register()) {
            test.accept(region);
        } finally {
            memory.release();
        }
    }

    private static List<DdpSegment> cut(DdpMessage message, int mulpdu) {
        return Ulpdus.cut(message, mulpdu).stream().map(Ulpdus::segment).toList();
    }

    private static DdpMessage write(int stag, long offset, String text) {
        return tagged(WRITE, stag, offset, ascii(text));
    }

    private static DdpMessage tagged(int control, int stag, long offset, byte[] payload) {
        DdpMessage message = new DdpMessage().tagged(control, stag, offset);
        message.payload().wrap(Unpooled.wrappedBuffer(payload), 0, payload.length);
        return message;
    }

    private static DdpMessage untagged(int control, int rsvdUlp, int queue, byte[] payload) {
        DdpMessage message = new DdpMessage().untagged(control, rsvdUlp, queue);
        message.payload().wrap(Unpooled.wrappedBuffer(payload), 0, payload.length);
        return message;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
