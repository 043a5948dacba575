package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
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
    void sizesAreRead(String text, long bytes) {
        assertThat(new Bytes.Converter().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "K", "-1", "1.5M", "1X", "1KK", "0x10", "8388608T", "9999999999999999999"})
    void whatIsNoSizeIsRefused(String text) {
        assertThatThrownBy(() -> new Bytes.Converter().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 bytes",
                "1 | 1 byte",
                "1023 | 1,023 bytes",
                "1024 | 1 KiB",
                "1025 | 1,025 bytes",
                "16777216 | 16 MiB",
                "1572864 | 1,536 KiB",
                "3221225472 | 3 GiB",
                "1099511627776 | 1 TiB",
                "1125899906842624 | 1,024 TiB"
            })
    void sizesArePrinted(long bytes, String text) {
        assertThat(Bytes.size(bytes)).isEqualTo(text);
    }

    @Test
    void timesAndRatesArePrinted() {
        assertThat(Bytes.time(31_400)).isEqualTo("31.4 us");
        assertThat(Bytes.time(12_340_000)).isEqualTo("12.3 ms");
        assertThat(Bytes.time(4_560_000_000L)).isEqualTo("4.56 s");
        assertThat(Bytes.rate(812_000_000, 1_000_000_000)).isEqualTo("812 MB/s (6.50 Gbit/s)");
        assertThat(Bytes.rate(1_500_000, 1_000_000_000)).isEqualTo("1.5 MB/s (0.012 Gbit/s)");
        assertThat(Bytes.rate(0, 0)).isEqualTo("0.0 MB/s (0.000 Gbit/s)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"0 | 0 clients", "1 | 1 client", "2 | 2 clients", "1000 | 1,000 clients"})
    void oneIsSingular(long number, String text) {
        assertThat(Bytes.count(number, "client")).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "localhost:1, localhost, 1",
        "192.0.2.1:65535, 192.0.2.1, 65535",
        "[::1]:1, [::1], 1",
        "localhost, localhost, 7471",
        "[::1], [::1], 7471"
    })
    void addressesAreRead(String text, String host, int port) {
        assertThat(new PeerAddress.Converter().convert(text)).isEqualTo(new PeerAddress(host, port));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":1", "host:", "host:0", "host:65536", "host:1x", "::1:7471", "a b:1"})
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> new PeerAddress.Converter().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 64, 1001})
    void anyChangeOfThePatternIsFound(int length) {
        BytePattern pattern = new BytePattern(42);
        ByteBuf bytes = Unpooled.buffer(length);
        pattern.append(bytes, length);
        assertThat(pattern.firstDifference(bytes, 0, length)).isEqualTo(-1);

        int changed = new Random(length).nextInt(length);
        bytes.setByte(changed, bytes.getByte(changed) ^ 1);

        assertThat(pattern.firstDifference(bytes, 0, length)).isEqualTo(changed);
    }

    @Test
    void anyChangeOfALargePatternIsFound() {
        int length = 2_200_001;
        ByteBuf bytes = Unpooled.directBuffer(length, length);
        MemoryRegion region = ProtectionDomain.create().register(bytes);
        BytePattern pattern = new BytePattern(42);
        pattern.fill(region);
        bytes.writerIndex(length);
        assertThat(pattern.firstDifference(bytes, 0, length)).isEqualTo(-1);
        assertThat(pattern.firstDifference(region, length)).isEqualTo(-1);

        for (int changed : new int[] {length - 1, 1 << 20, (1 << 20) - 1}) {
            bytes.setByte(changed, bytes.getByte(changed) ^ 1);
            assertThat(pattern.firstDifference(region, length)).isEqualTo(changed);
        }
        region.close();
        bytes.release();
    }

    @Test
    void thePatternDependsOnItsSeed() {
        ByteBuf bytes = Unpooled.buffer(64);
        new BytePattern(1).append(bytes, 64);

        assertThat(new BytePattern(2).firstDifference(bytes, 0, 64)).isZero();
    }

    @Test
    void whatAPeerSaysStaysOnOneLine() {
        assertThat(PlainText.of("a\nb\u001b[2Jc\u009b1m\u0085d\u202ee\u2066\u2028f\ud800"))
                .isEqualTo("a\\u000ab\\u001b[2Jc\\u009b1m\\u0085d\\u202ee\\u2066\\u2028f\\ud800");
        assertThat(PlainText.of("Genève, 日本, \ud83d\ude00")).isEqualTo("Genève, 日本, \ud83d\ude00");
    }
}
