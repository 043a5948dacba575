package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** A whole application: driver and two executors, over TCP. */
class LocalClusterTest {
    private static final int RECORDS = 6_000;
    private static final int PARTITIONS = 6;
    private static final int KEYS = 500;

    @TempDir
    private Path home;

    @Test
    void aJobUsesReadsAloneAndIsRight() {
        requireRightByReads(LocalCluster.conf(home));
    }

    /** One of these two tests runs the second application of this process. */
    @Test
    void aJobUnderAuthenticationAndTlsUsesReadsAlone() {
        requireRightByReads(LocalCluster.secure(home));
    }

    @Test
    void aValueOutOfRangeEndsTheApplicationAtItsStart() {
        SparkConf conf = LocalCluster.conf(home).setMaster("local").set("spark.shuffle.iwarp.port", "65536");

        assertThatThrownBy(() -> new JavaSparkContext(conf).close())
                .hasStackTraceContaining("spark.shuffle.iwarp.port is 65536; set it to 0 to 65535");
    }

    /** TLS protects what executors send, not the files of a host. */
    @Tag("attack")
    @Test
    void theSameUserOfAHostReadsMapOutputs() throws IOException {
        String text = "a text of one application";
        SparkConf conf =
                LocalCluster.secure(home).setMaster("local-cluster[1,1,512]").set("spark.shuffle.compress", "false");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            String folder = spark.parallelize(List.of(text), 1)
                    .mapToPair(each -> new Tuple2<>(each, 1))
                    .groupByKey(1)
                    .map(each -> SparkEnv.get()
                            .blockManager()
                            .diskBlockManager()
                            .localDirs()[0]
                            .toString())
                    .first();

            try (Stream<Path> files = Files.walk(Path.of(folder))) {
                assertThat(files.filter(file -> file.toString().endsWith(".data")))
                        .singleElement()
                        .satisfies(file -> assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                                .contains(text));
            }
        }
    }

    private static void requireRightByReads(SparkConf conf) {
        Totals before = DriverSide.ended();
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            List<Integer> numbers = IntStream.range(0, RECORDS).boxed().toList();
            List<Tuple2<Integer, Long>> sums = spark.parallelize(numbers, PARTITIONS)
                    .mapToPair(number -> new Tuple2<>(number % KEYS, (long) number))
                    .groupByKey(PARTITIONS)
                    .mapValues(group -> {
                        long sum = 0;
                        for (long number : group) {
                            sum += number;
                        }
                        return sum;
                    })
                    .collect();

            assertThat(sums).hasSize(KEYS);
            assertThat(sums).allSatisfy(sum -> assertThat(sum._2()).isEqualTo(expected(sum._1())));
        }
        Totals after = DriverSide.ended();
        assertThat(after.blocksRead()).isGreaterThan(before.blocksRead());
        assertThat(after.fallbackBlocks()).isEqualTo(before.fallbackBlocks());
    }

    private static long expected(int key) {
        return IntStream.range(0, RECORDS)
                .filter(number -> number % KEYS == key)
                .asLongStream()
                .sum();
    }
}
