package io.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.memory.TaggedBuffer;
import io.iwarp.internal.mpa.Ulpdu;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages whose bytes are read from an STag's memory while they are cut. */
class DdpSourceTest {
    private static final int READ_RESPONSE = 0x42;
    private static final int SINK_STAG = 0xA1A2_A3A4;
    private static final long BASE = 0x1_0000_0000L;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final SendBuffer buffer = Ulpdus.buffer();
    private final Ulpdu ulpdu = new Ulpdu();

    @AfterEach
    void close() {
        buffer.releaseCopy();
        regions.forEach(MemoryRegion::close);
        stream.close();
        domain.close();
    }

    @Test
    @Requirement({"DDP-12", "DDP-18", "DDP-24", "DDP-26", "DDP-29", "DDP-34"})
    void aSourceIsCutIntoFullSegmentsThatSplitNoAlignedNumber() {
        Seeds.forEach(200, (seed, random) -> {
            byte[] content = bytes(random, 1 + random.nextInt(20_000));
            TaggedBuffer buffer = register(random, content);
            int from = random.nextInt(content.length);
            int length = random.nextInt(content.length - from + 1);
            int mulpdu = 128 + random.nextInt(random.nextBoolean() ? 500 : 8000);
            DdpMessage source =
                    new DdpMessage().tagged(READ_RESPONSE, SINK_STAG, -length).source(buffer, BASE + from, length);

            assertThat(source.messageLength()).isEqualTo(length);
            int at = 0;
            for (byte[] oneUlpdu : Ulpdus.cut(source, mulpdu)) {
                DdpSegment segment = Ulpdus.segment(oneUlpdu);
                assertThat(segment.control()).isEqualTo(READ_RESPONSE);
                assertThat(segment.stag()).isEqualTo(SINK_STAG);
                assertThat(segment.taggedOffset()).isEqualTo(-length + at);
                int end = at + segment.payloadLength();
                assertThat(payloadOf(segment)).isEqualTo(Arrays.copyOfRange(content, from + at, from + end));
                at = end;
                assertThat(segment.last()).isEqualTo(at == length);
                if (!segment.last()) {
                    assertThat(splitsNumber(buffer, from + at))
                            .as("seed %s, segment ends at %d", seed, at)
                            .isFalse();
                    assertThat(segment.ulpduLength()).isBetween(mulpdu - 7, mulpdu);
                }
            }
            assertThat(at).isEqualTo(length);
        });
    }

    private static boolean splitsNumber(TaggedBuffer buffer, int end) {
        return IntStream.range(end - 7, end)
                .filter(number -> number >= 0 && number + 8 <= buffer.length())
                .anyMatch(number -> buffer.isAligned(BASE + number));
    }

    @Test
    void eachSegmentHasTheBytesOfTheMomentWhenItIsCutAndKeepsThem() {
        MemoryRegion region = region(new byte[312]);
        Ulpdus.send(buffer, response().source(bufferOf(region), BASE, 312));
        for (int i = 1; i <= 3; i++) {
            fill(region, i);
            assertThat(buffer.cut(ulpdu, 118)).isTrue();
            fill(region, 0x77);
            DdpSegment segment = Ulpdus.segment(Ulpdus.bytes(ulpdu));
            byte[] expected = new byte[104];
            Arrays.fill(expected, (byte) i);
            assertThat(payloadOf(segment)).isEqualTo(expected);
        }
        assertThat(buffer.sendable()).isFalse();
    }

    @Test
    void aRevokedSourceIsNotCutAnyFurther() {
        MemoryRegion region = region(new byte[312]);
        Ulpdus.send(buffer, response().source(bufferOf(region), BASE, 312));
        assertThat(buffer.cut(ulpdu, 118)).isTrue();
        region.invalidate();

        assertThat(buffer.cut(ulpdu, 118)).isFalse();
        assertThat(buffer.cut(ulpdu, 118)).isFalse();
        assertThat(buffer.isInsideMessage()).isTrue();
        assertThat(buffer.currentBytesCut()).isEqualTo(104);

        buffer.failUnsent(new IllegalStateException("revoked"));
        assertThat(Ulpdus.cut(buffer, DdpChannel.message("next"), 128)).hasSize(1);
    }

    @Test
    @Requirement("DDP-30")
    void emptySourceIsOneEmptySegment() {
        MemoryRegion region = region(new byte[1]);
        TaggedBuffer buffer = bufferOf(region);
        region.invalidate();

        for (DdpMessage empty :
                List.of(response().source(buffer, 0, 0), response().source(null, 0, 0))) {
            assertThat(Ulpdus.cut(empty, 128)).singleElement().satisfies(bytes -> {
                assertThat(bytes).hasSize(14);
                assertThat(Ulpdus.segment(bytes).last()).isTrue();
            });
        }
    }

    @Test
    void payloadIsSentAfterTheSourceIsCleared() {
        DdpMessage message = DdpChannel.message("payload");
        message.source(bufferOf(region("source".getBytes(StandardCharsets.US_ASCII))), BASE, 6);
        assertThat(textOf(message)).isEqualTo("source");

        message.source(null, 0, 0);
        assertThat(textOf(message)).isEqualTo("payload");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE})
    @Requirement("DDP-25")
    void aSourceOfTwoToTheThirtySecondBytesIsRefused(long length) {
        TaggedBuffer buffer = bufferOf(region(new byte[1]));

        assertThatThrownBy(() -> response().source(buffer, 0, length))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(expected: 0 to 4294967295 bytes");
        assertThat(response().source(buffer, 0, (1L << 32) - 1).messageLength()).isEqualTo((1L << 32) - 1);
    }

    @Test
    void lengthWithoutABufferIsRefused() {
        assertThatThrownBy(() -> response().source(null, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 without a buffer");
    }

    @Test
    void aMessageOnItsWayKeepsItsSource() {
        DdpMessage message = response();
        message.submit(null);

        assertThatThrownBy(() -> message.source(null, 0, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void uncheckedRangeIsNotRead() {
        Ulpdus.send(buffer, response().source(bufferOf(region(new byte[10])), BASE + 5, 6));

        assertThatThrownBy(() -> buffer.cut(ulpdu, 128)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(buffer.sendable()).isTrue();
    }

    private static DdpMessage response() {
        return new DdpMessage().tagged(READ_RESPONSE, SINK_STAG, 0);
    }

    private MemoryRegion region(byte[] content) {
        MemoryRegion region = domain.region()
                .allocate(ByteBufAllocator.DEFAULT, content.length)
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_READ)
                .register();
        regions.add(region);
        region.setBytes(0, Unpooled.wrappedBuffer(content));
        return region;
    }

    /** Registers memory in pieces. */
    private TaggedBuffer register(Random random, byte[] content) {
        List<ByteBuf> pieces = new ArrayList<>();
        for (int from = 0; from < content.length; ) {
            int size = Math.min(content.length - from, 1 + random.nextInt(random.nextBoolean() ? 50 : 20_000));
            pieces.add(ByteBufAllocator.DEFAULT
                    .directBuffer(size + 7)
                    .slice(random.nextInt(8), size)
                    .setBytes(0, content, from, size));
            from += size;
        }
        MemoryRegion region = domain.region()
                .buffers(pieces)
                .baseTaggedOffset(BASE)
                .rights(AccessRight.REMOTE_READ)
                .register();
        pieces.forEach(ByteBuf::release);
        regions.add(region);
        return bufferOf(region);
    }

    private TaggedBuffer bufferOf(MemoryRegion region) {
        return Objects.requireNonNull(stream.lookup(region.stag()));
    }

    private static void fill(MemoryRegion region, int oneByte) {
        byte[] content = new byte[(int) region.length()];
        Arrays.fill(content, (byte) oneByte);
        region.setBytes(0, Unpooled.wrappedBuffer(content));
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] payloadOf(DdpSegment segment) {
        byte[] payload = new byte[segment.payloadLength()];
        segment.buffer().getBytes(segment.payloadIndex(), payload);
        return payload;
    }

    private static String textOf(DdpMessage message) {
        return new String(payloadOf(Ulpdus.segment(Ulpdus.cut(message, 128).get(0))), StandardCharsets.US_ASCII);
    }
}
