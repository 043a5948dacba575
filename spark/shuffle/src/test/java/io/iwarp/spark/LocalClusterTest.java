package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
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
    void aJobReadsItsShuffleByReadsAloneAndIsRight() {
        requireRightByReads(LocalCluster.conf(home));
    }

    /** The second application of this process, if the tests run in this order or the other. */
    @Test
    void aJobUnderAuthenticationAndTlsReadsByReadsAlone() {
        requireRightByReads(LocalCluster.conf(home)
                .set("spark.authenticate", "true")
                .set("spark.authenticate.secret", "of the cluster")
                .set("spark.network.crypto.enabled", "true"));
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
