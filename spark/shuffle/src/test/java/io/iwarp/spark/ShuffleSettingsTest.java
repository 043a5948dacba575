package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleSettingsTest {
    private static SparkConf conf(String key, String value) {
        return new SparkConf(false).set(key, value);
    }

    @Test
    void defaults() {
        ShuffleSettings settings = ShuffleSettings.from(new SparkConf(false));

        assertThat(settings.port()).isZero();
        assertThat(settings.transport()).isEqualTo("auto");
        assertThat(settings.connectionsPerPeer()).isEqualTo(1);
        assertThat(settings.crc()).isTrue();
        assertThat(settings.outstandingReads()).isEqualTo(128);
        assertThat(settings.maxBlockSize()).isEqualTo(64 * 1024);
        assertThat(settings.directorySlots()).isEqualTo(65_536);
        assertThat(settings.releaseDelay()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.fallback()).isTrue();
        assertThat(settings.timeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(settings.tls().enabled()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "port,65536",
        "threads,0",
        "connectionsPerPeer,65",
        "outstandingReads,0",
        "outstandingReads,16383",
        "directorySlots,100",
        "directorySlots,32",
        "directorySlots,2097152",
        "transport,carrier-pigeon",
        "releaseDelay,2d",
        "maxBlockSize,-1"
    })
    void aValueOutOfRangeNamesItsKey(String name, String value) {
        assertThatThrownBy(() -> ShuffleSettings.from(conf("spark.shuffle.iwarp." + name, value)))
                .hasMessageContaining(name);
    }

    @ParameterizedTest
    @CsvSource({"300,PT5M", "300s,PT5M", "10m,PT10M", "36h,PT24H"})
    void aNetworkTimeoutIsReadAsSparkReadsIt(String value, Duration expected) {
        assertThat(ShuffleSettings.from(conf("spark.network.timeout", value)).timeout())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"spark.network.timeout,0", "spark.shuffle.iwarp.timeout,0", "spark.shuffle.iwarp.timeout,25h"})
    void aTimeoutWithWhichNothingCouldConnectIsRefusedAtTheStart(String key, String value) {
        assertThatThrownBy(() -> ShuffleSettings.from(conf(key, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key + " is " + value);
    }

    @Test
    void tlsNeedsItsFiles() {
        assertThatThrownBy(() -> ShuffleSettings.from(conf("spark.shuffle.iwarp.tls.enabled", "true")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spark.shuffle.iwarp.tls.certificate");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spark.authenticate",
                "spark.network.crypto.enabled",
                "spark.authenticate.enableSaslEncryption",
                "spark.ssl.rpc.enabled"
            })
    void whatSparkProtectsIsNotSentInTheClear(String key) {
        assertThat(ShuffleSettings.reasonAgainst(conf(key, "true"))).contains(key);
        assertThat(ShuffleSettings.reasonAgainst(conf(key, "true").set("spark.shuffle.iwarp.tls.enabled", "true")))
                .isEmpty();
        assertThat(ShuffleSettings.reasonAgainst(conf(key, "false"))).isEmpty();
    }

    @Test
    void theExternalShuffleServiceServesItsOwnFiles() {
        SparkConf service = conf("spark.shuffle.service.enabled", "true");

        assertThat(ShuffleSettings.reasonAgainst(service)).contains("spark.shuffle.service.enabled");
        assertThat(ShuffleSettings.reasonAgainst(service.set("spark.shuffle.iwarp.tls.enabled", "true")))
                .isNotEmpty();
    }

    @Test
    void everyKeyIsDocumented() throws IOException {
        String document = Files.readString(Path.of("..", "..", "docs", "spark.md"));
        for (String key : new String[] {
            "bindAddress", "port", "transport", "threads", "connectionsPerPeer", "crc", "outstandingReads",
            "maxBlockSize", "directorySlots", "releaseDelay", "fallback", "timeout", "tls.enabled", "tls.certificate",
            "tls.key", "tls.trust"
        }) {
            assertThat(document).contains("| `spark.shuffle.iwarp." + key + "` |");
        }
    }
}
