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
    }

    @ParameterizedTest
    @CsvSource({
        "port,65536",
        "advertisedPort,-1",
        "threads,0",
        "connectionsPerPeer,65",
        "outstandingReads,0",
        "outstandingReads,16383",
        "directorySlots,100",
        "directorySlots,32",
        "directorySlots,2097152",
        "transport,io_uring",
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
    void aTimeoutOutOfRangeNamesItsKey(String key, String value) {
        assertThatThrownBy(() -> ShuffleSettings.from(conf(key, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key + " is " + value);
    }

    @Test
    void theExternalShuffleServiceHasNoReads() {
        SparkConf service = conf("spark.shuffle.service.enabled", "true");

        assertThat(ShuffleSettings.reasonAgainst(service)).contains("spark.shuffle.service.enabled");
    }

    @Test
    void everyKeyIsDocumented() throws IOException {
        String document = Files.readString(Path.of("..", "..", "docs", "spark.md"));
        for (String key : new String[] {
            "bindAddress",
            "port",
            "transport",
            "threads",
            "connectionsPerPeer",
            "crc",
            "outstandingReads",
            "maxBlockSize",
            "directorySlots",
            "releaseDelay",
            "fallback",
            "timeout",
            "advertisedPort"
        }) {
            assertThat(document).contains("| `spark.shuffle.iwarp." + key + "` |");
        }
    }
}
