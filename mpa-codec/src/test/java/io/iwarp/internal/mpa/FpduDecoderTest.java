package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.ProtocolError;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.mpa.FpduDecoder.Result;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FpduDecoderTest {

    private final ConnectionCounters counters = new ConnectionCounters();
    private FpduDecoder decoder = decoder(true, true, 0);

    @AfterEach
    void release() {
        decoder.release();
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    @Requirement({"MPA-7", "MPA-29", "MPA-49"})
    void decodesEveryAlignment(boolean crc, boolean markers) {
        Random random = new Random(1);
        for (int start = 0; start < 512; start += 4) {
            for (int length : new int[] {0, 1, 17, 42, 499, 503, 508, 512, 1200, 5000, 64768}) {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                byte[] wire = new ReferenceFramer(crc, markers, start).frame(bytes);
                decoder.release();
                decoder = decoder(crc, markers, start);

                assertThat(decode(wire)).isEqualTo(Result.FPDU);
                assertThat(decoder.wireLength()).isEqualTo(wire.length);
                assertThat(decoder.ulpduLength()).isEqualTo(length);
                assertThat(ulpduBytes()).isEqualTo(bytes);
            }
        }
    }

    /** Markers before ULPDU_Length, between PAD and CRC, or after the ULPDU's last byte do not cut it. */
    @ParameterizedTest
    @ValueSource(ints = {20, 502, 503, 506})
    @Requirement("MPA-29")
    void ulpduWithoutMarkersIsNotCopied(int length) {
        byte[] wire = new ReferenceFramer(true, true).frame(new byte[length]);
        ByteBuf bytes = Unpooled.wrappedBuffer(wire);

        assertThat(decoder.decode(bytes, 0, wire.length)).isEqualTo(Result.FPDU);

        assertThat(decoder.ulpdu()).isSameAs(bytes);
        assertThat(decoder.ulpduIndex()).isEqualTo(6);
    }

    @Test
    @Requirement("MPA-49")
    void asksForTheLengthFirstAndThenForTheWholeFpdu() {
        byte[] wire = new ReferenceFramer(true, true).frame(new byte[600]);
        for (int have = 0; have < wire.length; have++) {
            assertThat(decode(wire, have)).isEqualTo(Result.INCOMPLETE);
            assertThat(decoder.needed()).isEqualTo(have < 6 ? 6 : wire.length);
        }
        assertThat(decode(wire)).isEqualTo(Result.FPDU);
        assertThat(decoder.needed()).isLessThanOrEqualTo(FpduDecoder.maxWireLength());
    }

    @Test
    @Requirement("MPA-12")
    void ignoresTheContentOfThePaddingButChecksItsCrc() {
        decoder = decoder(true, false, 0);
        byte[] wire = new ReferenceFramer(true, false).frame(new byte[] {1, 2, 3});
        for (int i = 5; i < 8; i++) {
            wire[i] = (byte) 0xFF;
        }
        assertFault(wire, ProtocolError.MPA_CRC_MISMATCH);

        decoder = decoder(true, false, 0);
        assertThat(decode(withRightCrc(wire))).isEqualTo(Result.FPDU);
        assertThat(ulpduBytes()).containsExactly(1, 2, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 512})
    @Requirement("MPA-15")
    void ignoresTheReservedBitsOfAMarkerButChecksTheirCrc(int marker) {
        byte[] wire = new ReferenceFramer(true, true).frame(new byte[600]);
        wire[marker] = (byte) 0xFF;
        wire[marker + 1] = (byte) 0xFF;
        assertFault(wire, ProtocolError.MPA_CRC_MISMATCH);

        decoder = decoder(true, true, 0);
        assertThat(decode(withRightCrc(wire))).isEqualTo(Result.FPDU);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 512})
    @Requirement("MPA-24")
    void masksTheLowBitsOfAMarkersPointerButChecksTheirCrc(int marker) {
        byte[] wire = new ReferenceFramer(true, true).frame(new byte[600]);
        wire[marker + 3] |= 3;
        assertFault(wire, ProtocolError.MPA_CRC_MISMATCH);

        decoder = decoder(true, true, 0);
        assertThat(decode(withRightCrc(wire))).isEqualTo(Result.FPDU);
    }

    @ParameterizedTest
    @CsvSource({"0,true", "512,true", "1024,true", "0,false", "512,false", "1024,false"})
    @Requirement({"MPA-30", "MPA-85"})
    void findsAMarkerThatDisagreesWithTheLengthChain(int marker, boolean crc) {
        decoder = decoder(crc, true, 0);
        byte[] wire = new ReferenceFramer(crc, true).frame(new byte[1200]);
        wire[marker + 3] = (byte) (wire[marker + 3] + 4);

        assertFault(crc ? withRightCrc(wire) : wire, ProtocolError.MPA_MARKER_MISMATCH);
    }

    @Test
    @Requirement("MPA-85")
    void markerFaultStatesItsStreamPosition() {
        decoder = decoder(false, true, 1024);
        byte[] wire = new ReferenceFramer(false, true, 1024).frame(new byte[1200]);
        wire[512 + 3] = 4;

        assertFault(wire, ProtocolError.MPA_MARKER_MISMATCH);
        assertThat(decoder.fault().detail())
                .startsWith("the marker at stream byte 1536 has FPDUPTR 260, the FPDU with ULPDU_Length 1200 ");
    }

    @Test
    void oneBufferServesUlpdusThatMarkersCutUntilALongerOneNeedsMore() {
        ReferenceFramer model = new ReferenceFramer(true, true);
        assertThat(decode(model.frame(new byte[600]))).isEqualTo(Result.FPDU);
        ByteBuf first = decoder.ulpdu();
        assertThat(decode(model.frame(new byte[600]))).isEqualTo(Result.FPDU);
        assertThat(decoder.ulpdu()).isSameAs(first);
        assertThat(decode(model.frame(new byte[5000]))).isEqualTo(Result.FPDU);
        ByteBuf second = decoder.ulpdu();
        assertThat(first.refCnt()).isZero();
        decoder.release();
        assertThat(second.refCnt()).isZero();
    }

    @Test
    void countsDeliveredFpdus() {
        ReferenceFramer model = new ReferenceFramer(true, true);
        assertThat(decode(model.frame(new byte[600]))).isEqualTo(Result.FPDU);
        assertThat(decode(model.frame(new byte[10]))).isEqualTo(Result.FPDU);

        assertThat(counters.get(Counter.FPDUS_RECEIVED)).isEqualTo(2);
        assertThat(counters.get(Counter.MARKERS_RECEIVED)).isEqualTo(2);
        assertThat(counters.get(Counter.CRC_CHECKED)).isEqualTo(2);
        assertThat(counters.get(Counter.CRC_ERRORS)).isZero();
    }

    @Test
    @Requirement({"MPA-30", "MPA-85"})
    void checksAMarkerBetweenPaddingAndCrc() {
        byte[] wire = new ReferenceFramer(true, true).frame(new byte[503]);
        wire[wire.length - 8 + 3] ^= 0x10;

        assertFault(withRightCrc(wire), ProtocolError.MPA_MARKER_MISMATCH);
    }

    @Test
    @Requirement("MPA-40")
    void crcIsCheckedBeforeMarkers() {
        byte[] wire = new ReferenceFramer(true, true).frame(new byte[600]);
        wire[512 + 3] = (byte) (wire[512 + 3] + 4);

        assertFault(wire, ProtocolError.MPA_CRC_MISMATCH);
        assertThat(decoder.fault().detail()).contains("ULPDU_Length 600");
        assertThat(counters.get(Counter.CRC_ERRORS)).isEqualTo(1);
        assertThat(counters.get(Counter.FPDUS_RECEIVED)).isZero();
    }

    @Test
    @Requirement({"MPA-39", "MPA-84"})
    void findsEveryFlippedBitOfAnFpdu() {
        byte[] ulpduBytes = new byte[531];
        new Random(5).nextBytes(ulpduBytes);
        for (int start : new int[] {0, 508, 4}) {
            byte[] wire = new ReferenceFramer(true, true, start).frame(ulpduBytes);
            for (int bit = 0; bit < wire.length * 8; bit++) {
                byte[] bad = wire.clone();
                bad[bit / 8] ^= (byte) (0x80 >>> bit % 8);
                decoder = decoder(true, true, start);
                // A longer ULPDU_Length asks for more bytes first; they are what follows on the stream.
                byte[] more = Arrays.copyOf(bad, FpduDecoder.maxWireLength());

                assertThat(decode(more)).as("bit %d at %d", bit, start).isEqualTo(Result.FAULT);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"MPA-13", "MPA-37"})
    void acceptsAnyCrcWhenTheCrcIsOff(boolean markers) {
        decoder = decoder(false, markers, 0);
        byte[] wire = new ReferenceFramer(false, markers).frame(new byte[] {9, 8, 7});
        for (int i = 1; i <= 4; i++) {
            wire[wire.length - i] = (byte) (0xA0 + i);
        }

        assertThat(decode(wire)).isEqualTo(Result.FPDU);
        assertThat(ulpduBytes()).containsExactly(9, 8, 7);
        assertThat(counters.get(Counter.CRC_CHECKED)).isZero();
    }

    @Test
    void takesTheLargestUlpduWithoutMarkers() {
        decoder = decoder(true, false, 0);
        byte[] wire = new ReferenceFramer(true, false).frame(new byte[65535]);

        assertThat(decode(wire)).isEqualTo(Result.FPDU);
        assertThat(decoder.ulpduLength()).isEqualTo(65535);
        assertThat(decoder.needed()).isEqualTo(FpduDecoder.maxWireLength());
    }

    @Test
    @Requirement("MPA-85")
    void refusesALengthThatMarkersCannotPointAcross() {
        byte[] wire = new ReferenceFramer(true, true).frame(new byte[64769]);

        assertFault(wire, ProtocolError.MPA_MARKER_MISMATCH);
        assertThat(decoder.fault().detail()).contains("64769").contains("64768");
    }

    @Test
    @Requirement("MPA-27")
    void crossesFourGibibytesLikeAnyOtherMultipleOf512() {
        long start = (1L << 32) - 100;
        decoder = decoder(true, true, start);
        ReferenceFramer model = new ReferenceFramer(true, true, start);
        for (int length : new int[] {20, 200, 3000, 499, 64768}) {
            assertThat(decode(model.frame(new byte[length]))).isEqualTo(Result.FPDU);
            assertThat(decoder.position()).isEqualTo(model.position());
        }
    }

    @Test
    @Requirement("MPA-29")
    void neverChangesTheBytesReceived() {
        byte[] wire = new ReferenceFramer(true, true).frame(new byte[2000]);
        ByteBuf bytes = Unpooled.copiedBuffer(wire).asReadOnly();

        assertThat(decoder.decode(bytes, 0, wire.length)).isEqualTo(Result.FPDU);
        assertThat(ByteBufUtil.getBytes(bytes)).isEqualTo(wire);
    }

    private FpduDecoder decoder(boolean crc, boolean markers, long position) {
        return new FpduDecoder(ByteBufAllocator.DEFAULT, crc, markers, counters, position);
    }

    private Result decode(byte[] wire) {
        return decode(wire, wire.length);
    }

    private Result decode(byte[] wire, int length) {
        return decoder.decode(Unpooled.wrappedBuffer(wire), 0, length);
    }

    private void assertFault(byte[] wire, ProtocolError error) {
        assertThat(decode(wire)).isEqualTo(Result.FAULT);
        assertThat(decoder.fault()).isNotNull();
        assertThat(decoder.fault().error()).isEqualTo(error);
    }

    private byte[] ulpduBytes() {
        return ByteBufUtil.getBytes(decoder.ulpdu(), decoder.ulpduIndex(), decoder.ulpduLength(), true);
    }

    private static byte[] withRightCrc(byte[] wire) {
        CRC32C crc = new CRC32C();
        crc.update(wire, 0, wire.length - 4);
        byte[] fixed = wire.clone();
        Unpooled.wrappedBuffer(fixed).setIntLE(wire.length - 4, (int) crc.getValue());
        return fixed;
    }
}
