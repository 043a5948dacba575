package io.iwarp.conformance.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The suite's own encoder and decoder against the figures of RFC 5044 and frames of Linux' siw. */
class GoldenFrameTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final String FIGURE_5 =
            "00000000" + "002a4143" + "00000000" + "00000000" + "00000001" + "00000000".repeat(7) + "52239983";
    private static final String FIGURE_6 = "002a4143" + "00000000" + "00000000" + "00000002" + "00000000" + "00000014"
            + "00000000".repeat(6) + "84925898";
    private static final int BEFORE_FIGURE_6 = 492;

    @Test
    void figure5OfTheRfcIsEncodedAndDecoded() {
        byte[] fpdu =
                new FpduWriter(true, true).encode(Segment.send(1, new byte[24]).encode(), FpduChange.NONE);
        assertThat(HEX.formatHex(fpdu)).isEqualTo(FIGURE_5);

        FpduReader.Fpdu decoded = new FpduReader(true, true).decode(fpdu, fpdu.length);
        assertThat(decoded.violations()).isEmpty();
        assertThat(Segment.decode(decoded.ulpdu()).describe()).isEqualTo("Send, QN 0, MSN 1, MO 0, 24 bytes");
    }

    @Test
    void figure6OfTheRfcHasAMarkerInside() {
        FpduWriter writer = new FpduWriter(true, true);
        FpduReader reader = new FpduReader(true, true);
        byte[] first = writer.encode(new byte[BEFORE_FIGURE_6 - 4 - 2 - 4], FpduChange.NONE);
        assertThat(first).hasSize(BEFORE_FIGURE_6);
        reader.decode(first, first.length);

        byte[] second = writer.encode(Segment.send(2, new byte[24]).encode(), FpduChange.NONE);
        assertThat(HEX.formatHex(second)).isEqualTo(FIGURE_6);
        assertThat(reader.decode(second, second.length).violations()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0013c1401122334401020304050607086865" + "6c6c6f0000001fb1004d",
                "000ec140000000000000000000000000a30572ab",
                "002e4141000000000000000100000001" + "00000000a1a2a3a40000000000001000"
                        + "00001000b1b2b3b40000000000002000fcef7e74",
                "000ec1420000000000000000000000006975d6ca",
                "00134144cafebabe00000000000000070000000078000000ee812105",
                "00134143000000000000000000000000" + "00000000620000000bdd48d8",
                "001641470000000000000002000000010000000020020000" + "7fe42585",
            })
    void framesOfAnotherEncoderAreReadAndWrittenAlike(String hex) {
        byte[] fpdu = HEX.parseHex(hex);
        FpduReader.Fpdu decoded = new FpduReader(false, true).decode(fpdu, fpdu.length);
        assertThat(decoded.violations()).isEmpty();
        byte[] again = new FpduWriter(false, true)
                .encode(Segment.decode(decoded.ulpdu()).encode(), FpduChange.NONE);
        assertThat(HEX.formatHex(again)).isEqualTo(hex);
    }

    @Test
    void aFrameIsReadOnlyWhenItIsWhole() {
        FpduWriter writer = new FpduWriter(true, true);
        FpduReader reader = new FpduReader(true, true);
        for (int size = 0; size < 1300; size += 7) {
            byte[] fpdu = writer.encode(Segment.send(1, Bytes.pattern(size)).encode(), FpduChange.NONE);
            assertThat(reader.decode(fpdu, fpdu.length - 1)).as("size %d", size).isNull();
            FpduReader.Fpdu decoded = reader.decode(fpdu, fpdu.length);
            assertThat(decoded.violations()).as("size %d", size).isEmpty();
            assertThat(Segment.decode(decoded.ulpdu()).payload()).isEqualTo(Bytes.pattern(size));
        }
    }

    @Test
    void eachKindOfDamageIsFoundWhereItIs() {
        byte[] ulpdu = Segment.send(1, new byte[3]).encode();
        assertThat(violations(ulpdu, FpduChange.padding(1)))
                .extracting(RuleViolation::rule)
                .containsExactly(Rule.PAD_IS_ZERO);
        assertThat(violations(ulpdu, FpduChange.flip(10)))
                .extracting(RuleViolation::rule)
                .containsExactly(Rule.CRC_IS_RIGHT);
        assertThat(violations(ulpdu, FpduChange.markers(1, 0)))
                .extracting(RuleViolation::rule)
                .containsExactly(Rule.MARKER_RESERVED_IS_ZERO);
        assertThat(violations(ulpdu, FpduChange.markers(0, 4)))
                .extracting(RuleViolation::rule)
                .containsExactly(Rule.FIRST_MARKER_IS_ZERO);
        assertThat(violations(new byte[600], FpduChange.markers(0, 4)))
                .extracting(RuleViolation::rule)
                .containsExactly(Rule.FIRST_MARKER_IS_ZERO, Rule.MARKER_POINTS_BACK);
        assertThat(violations(ulpdu, FpduChange.padding(1)).get(0).offset()).isEqualTo(4 + 2 + 18 + 3);
    }

    private static List<RuleViolation> violations(byte[] ulpdu, FpduChange damage) {
        byte[] fpdu = new FpduWriter(true, true).encode(ulpdu, damage);
        return new FpduReader(true, true).decode(fpdu, fpdu.length).violations();
    }

    @Test
    void aStartupFrameOfSiwIsReadAndWrittenAlike() {
        String hex = "4d504120494420526571204672616d65" + "10020004" + "00010001";
        StartupFrame frame = StartupFrame.decode(HEX.parseHex(hex));
        assertThat(frame.describe())
                .isEqualTo("MPA Request, M=0 C=0 R=0 S=1, revision 2, PD_Length 4, A=0 B=0 IRD 1 C=0 D=0 ORD 1");
        assertThat(HEX.formatHex(frame.encode())).isEqualTo(hex);
    }
}
