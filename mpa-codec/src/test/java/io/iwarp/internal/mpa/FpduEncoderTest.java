package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.Counter;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FpduEncoderTest {

    private static final int TEN_MILLION = 10_000_000;
    private static final int MAX_SHIFT = 4;

    private final ConnectionCounters counters = new ConnectionCounters();
    private final Ulpdu ulpdu = new Ulpdu();

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    @Requirement({"MPA-9", "MPA-10", "MPA-14", "MPA-17", "MPA-20", "MPA-22", "MPA-39"})
    void agreesWithTheByteByByteModelOverTenMillionBytes(boolean crc, boolean markers) {
        Seeds.forEach(1, (seed, random) -> compareWithModel(crc, markers, random));
    }

    private void compareWithModel(boolean crc, boolean markers, Random random) {
        FpduEncoder encoder = new FpduEncoder(crc, markers, counters);
        ReferenceFramer model = new ReferenceFramer(crc, markers);
        ByteBuf out = Unpooled.buffer(70_000);
        ByteBuf direct = Unpooled.directBuffer(Mulpdu.MAX + MAX_SHIFT);
        long ulpdus = 0;
        while (encoder.position() < TEN_MILLION) {
            byte[] bytes = randomUlpdu(random);
            int announced = encoder.wireLength(bytes.length);
            int headerLength = random.nextInt(bytes.length + 1);
            Ulpdu outgoing = ulpdu(bytes, headerLength);
            if (random.nextBoolean()) {
                int shift = random.nextInt(MAX_SHIFT);
                direct.setBytes(shift, bytes, headerLength, bytes.length - headerLength);
                outgoing.payload(direct, shift, bytes.length - headerLength);
            }
            encoder.encode(outgoing, out.clear());

            byte[] expected = model.frame(bytes);
            assertThat(ByteBufUtil.getBytes(out)).isEqualTo(expected);
            assertThat(announced).isEqualTo(expected.length);
            ulpdus++;
        }
        assertThat(encoder.position()).isEqualTo(model.position());
        assertThat(counters.get(Counter.BYTES_SENT)).isEqualTo(model.position());
        assertThat(counters.get(Counter.FPDUS_SENT)).isEqualTo(ulpdus);
        assertThat(counters.get(Counter.MARKERS_SENT)).isEqualTo(model.markersInserted());
        direct.release();
    }

    @ParameterizedTest
    @CsvSource({"0,2,8", "1,1,8", "2,0,8", "3,3,12", "42,0,48", "19,3,28", "65535,3,65544"})
    @Requirement({"MPA-9", "MPA-11"})
    void paddingBringsTheFpduToAMultipleOfFour(int ulpdu, int pad, int fpdu) {
        assertThat(FpduEncoder.padLength(ulpdu)).isEqualTo(pad);
        assertThat(FpduEncoder.fpduLength(ulpdu)).isEqualTo(fpdu);
    }

    @Test
    @Requirement({"MPA-18", "MPA-19"})
    void theFirstBytesAreAZeroMarkerOrUlpduLength() {
        assertThat(hex(encode(new FpduEncoder(true, true, counters), new byte[20])))
                .startsWith("00000000" + "0014");
        assertThat(hex(encode(new FpduEncoder(true, false, counters), new byte[20])))
                .startsWith("0014");
    }

    @Test
    @Requirement({"MPA-20", "MPA-22"})
    void allMarkersInOneFpduPointToItsUlpduLength() {
        byte[] wire = encode(new FpduEncoder(true, true, counters), new byte[1200]);

        assertThat(wire).hasSize(1220);
        assertThat(hex(wire, 0, 4)).isEqualTo("00000000");
        assertThat(hex(wire, 512, 4)).isEqualTo("000001fc");
        assertThat(hex(wire, 1024, 4)).isEqualTo("000003fc");
    }

    @Test
    @Requirement({"MPA-21", "MPA-28"})
    void markerBetweenFpdusBelongsToTheSecondAndItsCrc() {
        FpduEncoder encoder = new FpduEncoder(true, true, counters);

        byte[] first = encode(encoder, new byte[499]);
        assertThat(first).hasSize(512);
        byte[] second = encode(encoder, new byte[18]);

        assertThat(hex(second, 0, 8)).isEqualTo("0000000000120000");
        assertThat(second).isEqualTo(new ReferenceFramer(true, true, 512).frame(new byte[18]));
    }

    @Test
    @Requirement("MPA-23")
    void amongManySmallFpdusTheMarkerPointsToTheOneItIsIn() {
        FpduEncoder encoder = new FpduEncoder(true, true, counters);
        ByteBuf out = Unpooled.buffer();
        int start = 0;
        while (out.writerIndex() <= 512) {
            start = out.writerIndex();
            encoder.encode(ulpdu(new byte[17], 17), out);
        }

        assertThat(start).isLessThan(512);
        assertThat(MarkerLayout.fpduPointer(out, 512)).isEqualTo(512 - start);
    }

    @Test
    @Requirement("MPA-25")
    void aMarkerBetweenPaddingAndCrcBelongsToThisFpduAndItsCrc() {
        byte[] wire = encode(new FpduEncoder(true, true, counters), new byte[503]);

        assertThat(hex(wire, wire.length - 16, 16)).isEqualTo("000000000000000" + "0000001fc25fa77c9");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    @Requirement({"MPA-11", "MPA-10"})
    void paddingIsZeroAndNotCountedInUlpduLength(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 0xFF);
        FpduEncoder encoder = new FpduEncoder(true, false, counters);
        ByteBuf out = Unpooled.buffer(64).setZero(0, 64).writerIndex(0);
        Arrays.fill(out.array(), (byte) 0xEE);
        encoder.encode(ulpdu(bytes, 0), out);

        assertThat(out.getUnsignedShort(0)).isEqualTo(length);
        assertThat(out.readableBytes() % 4).isZero();
        for (int i = 2 + length; i < out.readableBytes() - 4; i++) {
            assertThat(out.getByte(i)).isZero();
        }
    }

    @Test
    @Requirement("MPA-13")
    void theCrcFieldIsThereAndZeroWhenTheCrcIsOff() {
        byte[] wire = encode(new FpduEncoder(false, false, counters), new byte[] {1, 2});

        assertThat(hex(wire)).isEqualTo("0002010200000000");
    }

    @Test
    @Requirement("MPA-27")
    void crossesFourGibibytesLikeAnyOtherMultipleOf512() {
        long wrap = 1L << 32;
        FpduEncoder encoder = new FpduEncoder(true, true, counters, wrap - 100);
        ReferenceFramer model = new ReferenceFramer(true, true, wrap - 100);
        for (int length : new int[] {20, 200, 3000, 499, 64768}) {
            byte[] bytes = new byte[length];
            assertThat(encode(encoder, bytes)).isEqualTo(model.frame(bytes));
        }
    }

    @Test
    void headAndTrailerAroundThePayloadMakeTheSameFpdu() {
        Seeds.forEach(10, (seed, random) -> compareByReference(random));
    }

    private void compareByReference(Random random) {
        FpduEncoder byReference = new FpduEncoder(true, false, counters);
        FpduEncoder copying = new FpduEncoder(true, false, counters);
        for (int round = 0; round < 20; round++) {
            byte[] bytes = randomUlpdu(random);
            ulpdu(bytes, random.nextInt(bytes.length + 1));

            assertThat(encodedByReference(byReference)).isEqualTo(encode(copying, bytes));
        }
        assertThat(byReference.position()).isEqualTo(copying.position());
    }

    /** A view of the memory of one payload serves the next ones, but not other memory, nor another kind of buffer. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyKindOfPayloadInABurstHasItsOwnBytes(boolean markers) {
        ByteBuf pooled = PooledByteBufAllocator.DEFAULT.directBuffer(2000);
        List<ByteBuf> payloads = List.of(
                pooled,
                PooledByteBufAllocator.DEFAULT.directBuffer(2000),
                pooled.retainedSlice(100, 1900),
                PooledByteBufAllocator.DEFAULT.directBuffer(2000),
                Unpooled.buffer(2000),
                Unpooled.compositeBuffer()
                        .addComponents(
                                Unpooled.directBuffer(700).writeZero(700),
                                Unpooled.directBuffer(1300).writeZero(1300)));
        FpduEncoder encoder = new FpduEncoder(true, markers, counters);
        ReferenceFramer model = new ReferenceFramer(true, markers);
        for (int round = 0; round < 2; round++) {
            for (ByteBuf payload : payloads) {
                byte[] bytes = new byte[900];
                new Random(payload.capacity() + round).nextBytes(bytes);
                payload.setBytes(50, bytes);
                ulpdu.header().clear();
                ulpdu.payload(payload, 50, 900);
                assertThat(markers ? encoded(encoder) : encodedByReference(encoder))
                        .isEqualTo(model.frame(bytes));
            }
        }
        payloads.forEach(ByteBuf::release);
    }

    private byte[] encoded(FpduEncoder encoder) {
        ByteBuf out = Unpooled.directBuffer();
        encoder.encode(ulpdu, out);
        byte[] bytes = ByteBufUtil.getBytes(out);
        out.release();
        return bytes;
    }

    private byte[] encodedByReference(FpduEncoder encoder) {
        ByteBuf out = Unpooled.buffer();
        encoder.encodeHead(ulpdu, out);
        out.writeBytes(ulpdu.payload(), ulpdu.payloadIndex(), ulpdu.payloadLength());
        encoder.encodeTrailer(ulpdu, out);
        return ByteBufUtil.getBytes(out);
    }

    @Test
    void refusesToLeaveThePayloadOutWhereMarkersWouldCutIt() {
        FpduEncoder encoder = new FpduEncoder(true, true, counters);

        assertThatThrownBy(() -> encoder.encodeHead(ulpdu, Unpooled.buffer()))
                .isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement("MPA-50")
    void unreadablePayloadLeavesTheBufferUnchanged(boolean markers) {
        FpduEncoder encoder = new FpduEncoder(true, markers, counters);
        ByteBuf out = Unpooled.buffer();
        encoder.encode(ulpdu(new byte[600], 10), out);
        int written = out.writerIndex();
        long position = encoder.position();
        ByteBuf gone = Unpooled.buffer(2000);
        ulpdu.payload(gone, 0, 2000);
        gone.release();

        assertThatThrownBy(() -> encoder.encode(ulpdu, out)).isInstanceOf(RuntimeException.class);

        assertThat(out.writerIndex()).isEqualTo(written);
        assertThat(encoder.position()).isEqualTo(position);
        assertThat(counters.get(Counter.FPDUS_SENT)).isEqualTo(1);
    }

    private byte[] encode(FpduEncoder encoder, byte[] bytes) {
        ByteBuf out = Unpooled.buffer();
        encoder.encode(ulpdu(bytes, Math.min(14, bytes.length)), out);
        return ByteBufUtil.getBytes(out);
    }

    private Ulpdu ulpdu(byte[] bytes, int headerLength) {
        ulpdu.header().clear().writeBytes(bytes, 0, headerLength);
        return ulpdu.payload(Unpooled.wrappedBuffer(bytes), headerLength, bytes.length - headerLength);
    }

    static byte[] randomUlpdu(Random random) {
        int bound = switch (random.nextInt(8)) {
            case 0 -> 4;
            case 1 -> Mulpdu.MAX;
            case 2 -> 9000;
            case 3 -> 1500;
            default -> 600;
        };
        byte[] bytes = new byte[random.nextInt(bound + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String hex(byte[] bytes) {
        return ByteBufUtil.hexDump(bytes);
    }

    private static String hex(byte[] bytes, int from, int length) {
        return ByteBufUtil.hexDump(bytes, from, length);
    }
}
