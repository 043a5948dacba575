package io.iwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.OctetSpan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** What the commands read from the command line and print. */
class ValuesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "1b, 1",
        "64K, 65536",
        "64kb, 65536",
        "64 KiB, 65536",
        "3G, 3221225472",
        "1T, 1099511627776",
        "8388607T, 9223370937343148032"
    })
    void sizesAreRead(String text, long octets) {
        assertThat(new Octets.Converter().convert(text)).isEqualTo(octets);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "K", "-1", "1.5M", "1X", "1KK", "0x10", "8388608T", "9999999999999999999"})
    void whatIsNoSizeIsRefused(String text) {
        assertThatThrownBy(() -> new Octets.Converter().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 octets",
                "1 | 1 octet",
                "1023 | 1,023 octets",
                "1024 | 1 KiB",
                "1025 | 1,025 octets",
                "16777216 | 16 MiB",
                "1572864 | 1,536 KiB",
                "3221225472 | 3 GiB",
                "1099511627776 | 1 TiB",
                "1125899906842624 | 1,024 TiB"
            })
    void sizesArePrinted(long octets, String text) {
        assertThat(Octets.size(octets)).isEqualTo(text);
    }

    @Test
    void timesAndRatesArePrinted() {
        assertThat(Octets.time(31_400)).isEqualTo("31.4 us");
        assertThat(Octets.time(12_340_000)).isEqualTo("12.3 ms");
        assertThat(Octets.time(4_560_000_000L)).isEqualTo("4.56 s");
        assertThat(Octets.rate(812_000_000, 1_000_000_000)).isEqualTo("812 MB/s");
        assertThat(Octets.rate(1_500_000, 1_000_000_000)).isEqualTo("1.5 MB/s");
        assertThat(Octets.rate(0, 0)).isEqualTo("0.0 MB/s");
    }

    @ParameterizedTest
    @CsvSource({"localhost:1, localhost, 1", "192.0.2.1:65535, 192.0.2.1, 65535", "[::1]:7471, [::1], 7471"})
    void addressesAreRead(String text, String host, int port) {
        assertThat(new PeerAddress.Converter().convert(text)).isEqualTo(new PeerAddress(host, port));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", ":1", "host:", "host:0", "host:65536", "host:1x", "::1:7471", "a b:1"})
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> new PeerAddress.Converter().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 64, 1001})
    void anyChangeOfThePatternIsFound(int length) {
        OctetPattern pattern = new OctetPattern(42);
        ByteBuf octets = Unpooled.buffer(length);
        pattern.append(octets, length);
        assertThat(pattern.firstDifference(octets, 0, length)).isEqualTo(-1);

        int changed = new Random(length).nextInt(length);
        octets.setByte(changed, octets.getByte(changed) ^ 1);

        assertThat(pattern.firstDifference(octets, 0, length)).isEqualTo(changed);
    }

    @Test
    void anyChangeOfALargePatternIsFound() {
        int length = 2_200_001;
        ByteBuf octets = Unpooled.buffer(length, length);
        OctetSpan span = new OctetSpan().wrap(octets, 0, length);
        OctetPattern pattern = new OctetPattern(42);
        pattern.fill(span);
        octets.writerIndex(length);
        assertThat(pattern.firstDifference(octets, 0, length)).isEqualTo(-1);
        assertThat(pattern.firstDifference(span, length)).isEqualTo(-1);

        for (int changed : new int[] {length - 1, 1 << 20, (1 << 20) - 1}) {
            octets.setByte(changed, octets.getByte(changed) ^ 1);
            assertThat(pattern.firstDifference(span, length)).isEqualTo(changed);
        }
    }

    @Test
    void thePatternDependsOnItsSeed() {
        ByteBuf octets = Unpooled.buffer(64);
        new OctetPattern(1).append(octets, 64);

        assertThat(new OctetPattern(2).firstDifference(octets, 0, 64)).isZero();
    }

    @Test
    void whatAPeerSaysStaysOnOneLine() {
        assertThat(ErrorLines.oneLine("a\nb\u001b[2Jc")).isEqualTo("a b [2Jc");
    }
}
