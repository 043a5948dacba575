package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.ErrorLayer;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TerminateTest {
    private static final String TAGGED_HEADER = "c140112233440000000000000010";
    private static final String UNTAGGED_HEADER = "414100000000000000010000000100000000";
    private static final String READ_REQUEST = "a1a2a3a40000000000001000" + "00001000" + "b1b2b3b40000000000002000";

    private static String encode(Terminate terminate) {
        ByteBuf out = Unpooled.buffer().writeZero(8).skipBytes(8);
        terminate.encode(out);
        assertThat(out.readableBytes()).isEqualTo(terminate.length());
        return ByteBufUtil.hexDump(out);
    }

    private static Terminate decode(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        return Terminate.decode(
                Unpooled.buffer(8 + bytes.length).writeZero(8).writeBytes(bytes).skipBytes(8));
    }

    private static DdpSegment segment(String ulpdu) {
        byte[] bytes = HexFormat.of().parseHex(ulpdu);
        return new DdpSegment().wrap(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    }

    @ParameterizedTest
    @EnumSource(ProtocolError.class)
    @Requirement({"RDMAP-48", "RDMAP-49", "RDMAP-50", "RDMAP-51", "DDP-68"})
    void eachErrorIsWrittenWithTheHeadersItsCauseAllows(ProtocolError error) {
        String numbers = String.format("%x%x%02x", error.layer().number(), error.type(), error.code());
        boolean namesSegment = error.layer() != ErrorLayer.MPA && error != ProtocolError.RDMAP_LOCAL_CATASTROPHIC;
        assertThat(encode(Terminate.of(error))).isEqualTo(numbers + "0000");
        assertThat(encode(Terminate.of(error, segment(TAGGED_HEADER + "0102030405"), Terminate.NOTHING)))
                .isEqualTo(namesSegment ? numbers + "c000" + "0013" + TAGGED_HEADER : numbers + "0000");
        assertThat(encode(Terminate.of(error, segment(UNTAGGED_HEADER), Terminate.NOTHING)))
                .isEqualTo(namesSegment ? numbers + "c000" + "0012" + UNTAGGED_HEADER : numbers + "0000");
        assertThat(decode(numbers + "0000").error()).isEqualTo(error);
    }

    @Test
    @Requirement("RDMAP-51")
    void aCutHeaderIsLeftOutAndItsLengthKept() {
        DdpSegment cut = segment(TAGGED_HEADER.substring(0, 26));
        assertThat(encode(Terminate.of(ProtocolError.RDMAP_OPERATION_UNSPECIFIED, cut, Terminate.NOTHING)))
                .isEqualTo("02ff8000" + "000d");
    }

    @ParameterizedTest
    @CsvSource({
        "11010000, -1, 0, 0",
        "11018000 0013, 19, 0, 0",
        "1101c000 0013 c140112233440000000000000010, 19, 14, 0",
        "1202c000 0012 414100000000000000010000000100000000, 18, 18, 0",
        "11014000 0013 c140112233440000000000000010, 19, 14, 0",
        "0102e000 002e 414100000000000000010000000100000000 a1a2a3a4000000000000100000001000b1b2b3b40000000000002000,"
                + " 46, 18, 28",
        "01022000 a1a2a3a4000000000000100000001000b1b2b3b40000000000002000, -1, 0, 28",
        "0102a000 002e a1a2a3a4000000000000100000001000b1b2b3b40000000000002000, 46, 0, 28",
        "110100ff, -1, 0, 0",
        "11010000 ffffffffffff, -1, 0, 0",
        "1101e000 00, -1, 0, 0",
        "1101c000 0013 c140, 19, 0, 0",
        "1101c000 0013, 19, 0, 0",
        "1202c000 0012 414100000000000000010000000100000000"
                + " a1a2a3a4000000000000100000001000b1b2b3b40000000000002000, 18, 18, 0",
        "10000100 0013, 19, 0, 0",
        "10000200 0013 c140112233440000000000000010, 19, 14, 0",
        "10000300 0013 c140112233440000000000000010, 19, 14, 0",
        "10000300 0013 c140112233440000000000000010"
                + " a1a2a3a4000000000000100000001000b1b2b3b40000000000002000, 19, 14, 0",
        "10000400 a1a2a3a4000000000000100000001000b1b2b3b40000000000002000, -1, 0, 28",
        "10000500 002e a1a2a3a4000000000000100000001000b1b2b3b40000000000002000, 46, 0, 28"
    })
    @Requirement({"RDMAP-49", "RDMAP-51"})
    void headersAreReadByTheBitsAndWhatIsMissingIsAbsent(
            String hex, int segmentLength, int ddpHeaderLength, int rdmaHeaderLength) {
        Terminate terminate = decode(hex.replace(" ", ""));
        assertThat(terminate.segmentLength()).isEqualTo(segmentLength);
        assertThat(terminate.ddpHeader()).hasSize(ddpHeaderLength);
        assertThat(terminate.rdmaHeader()).hasSize(rdmaHeaderLength);
        assertThat(terminate.error()).isNotNull();
    }

    @Test
    void fewerThanFourBytesSayNothing() {
        assertThat(decode("110100")).isNull();
        assertThat(Terminate.reason(decode("110100")).detail()).isEqualTo("no reason given");
    }

    @Test
    @Requirement("RDMAP-49")
    void reasonNamesTheErrorOrItsUnassignedNumbers() {
        CloseReason known = Terminate.reason(decode("11010000"));
        assertThat(known.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(known.error()).isEqualTo(ProtocolError.DDP_TAGGED_BASE_OR_BOUNDS);
        assertThat(known.detail()).isEmpty();

        CloseReason unknown = Terminate.reason(decode("1a0b0000"));
        assertThat(unknown.endedBy()).isEqualTo(EndedBy.PEER_TERMINATE);
        assertThat(unknown.error()).isNull();
        assertThat(unknown.detail()).isEqualTo("with 1/10/0b, which no RFC assigns");
    }

    @ParameterizedTest
    @EnumSource(ProtocolError.class)
    @Requirement("RDMAP-51")
    void aReadRequestIsQuotedWhereItsProtectionFailed(ProtocolError error) {
        boolean protection = error.layer() == ErrorLayer.RDMAP && error.type() == 1;

        assertThat(Terminate.quotesReadRequest(error, segment(UNTAGGED_HEADER))).isEqualTo(protection);
        assertThat(Terminate.quotesReadRequest(error, segment(TAGGED_HEADER))).isFalse();
        assertThat(Terminate.quotesReadRequest(error, null)).isFalse();
    }

    @Test
    @Requirement("RDMAP-51")
    void readRequestIsQuotedAfterAWholeHeaderOnly() {
        byte[] request = HexFormat.of().parseHex(READ_REQUEST);

        assertThat(encode(Terminate.of(ProtocolError.RDMAP_INVALID_STAG, segment(UNTAGGED_HEADER), request)))
                .isEqualTo("0100e000" + "0012" + UNTAGGED_HEADER + READ_REQUEST);
        assertThat(encode(Terminate.of(
                        ProtocolError.RDMAP_INVALID_STAG, segment(UNTAGGED_HEADER.substring(0, 34)), request)))
                .isEqualTo("01008000" + "0011");
    }

    /** What a kernel siw on a little-endian machine sends, and Chelsio hardware last, beside what it means. */
    @ParameterizedTest
    @CsvSource({
        "02020000, MPA_CRC_MISMATCH",
        "02030000, MPA_MARKER_MISMATCH",
        "02040000, MPA_INVALID_STARTUP_FRAME",
        "11040000, DDP_TAGGED_INVALID_VERSION",
        "21060000, DDP_UNTAGGED_INVALID_VERSION",
        "21010300, DDP_UNTAGGED_INVALID_QN",
        "21020300, DDP_UNTAGGED_NO_BUFFER",
        "11000300, DDP_TAGGED_INVALID_STAG",
        "11010300, DDP_TAGGED_BASE_OR_BOUNDS",
        "01000300, DDP_LOCAL_CATASTROPHIC",
        "10000700, RDMAP_INVALID_STAG",
        "20070300, RDMAP_STREAM_CATASTROPHIC",
        "23020000, MPA_CRC_MISMATCH"
    })
    void theFormsOfRealPeersAreUnderstood(String control, ProtocolError error) {
        assertThat(decode(control).error()).isEqualTo(error);
    }

    @Test
    void siwsHeaderBitsAreFollowed() {
        Terminate terminate = decode("10000700" + "0000" + UNTAGGED_HEADER + READ_REQUEST);
        assertThat(terminate.ddpHeader()).hasSize(18);
        assertThat(terminate.rdmaHeader()).isEqualTo(HexFormat.of().parseHex(READ_REQUEST));
    }
}
