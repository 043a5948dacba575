package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Tuple2;

/**
 * The direct memory of an executor while a task reads 32 MiB from another one. Spark has at most 4 MiB in flight, and
 * the task has one block, so at most three slabs are in use.
 */
class DirectMemoryTest {
    private static final int EXECUTORS = 2;
    private static final int MAPS = 128;
    private static final int BLOCK = 512 << 10;
    private static final long MAX_BYTES = 3L * SinkPool.SLAB_LENGTH;

    @TempDir
    private Path home;

    @ParameterizedTest
    @CsvSource({"spark.reducer.maxSizeInFlight,4m", "spark.reducer.maxBlocksInFlightPerAddress,8"})
    void directMemoryFollowsTheLimitsOfSpark(String limit, String value) {
        SparkConf conf = LocalCluster.conf(home)
                .set("spark.shuffle.compress", "false")
                .set("spark.shuffle.iwarp.maxBlockSize", "1m")
                .set(limit, value);
        Totals before = DriverSide.ended();
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            List<Integer> maps = IntStream.range(0, MAPS).boxed().toList();
            List<Long> peaks = spark.parallelize(maps, MAPS)
                    .flatMapToPair(map -> IntStream.range(0, EXECUTORS)
                            .mapToObj(reduce -> new Tuple2<>(reduce, new byte[BLOCK]))
                            .iterator())
                    .partitionBy(new HashPartitioner(EXECUTORS))
                    .mapPartitions(blocks -> {
                        long peak = 0;
                        while (blocks.hasNext()) {
                            blocks.next();
                            peak = Math.max(peak, sinkBytes());
                        }
                        return Collections.singleton(peak).iterator();
                    })
                    .collect();

            assertThat(peaks).hasSize(EXECUTORS).allMatch(peak -> peak > 0 && peak <= MAX_BYTES);
        }
        assertThat(DriverSide.ended().bytesRead() - before.bytesRead()).isGreaterThan(MAPS * BLOCK / 2L);
    }

    /** Returns what a metric of this executor shows. */
    private static long sinkBytes() {
        return (long) SparkEnv.get()
                .metricsSystem()
                .getSourcesByName("plugin." + IwarpSparkPlugin.class.getName())
                .head()
                .metricRegistry()
                .getGauges()
                .get("sinkBytes")
                .getValue();
    }
}
