package io.iwarp.spark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * The time of a stage that reads a shuffle of MAPS times REDUCERS blocks, with two executors; or of a sort of MEBIBYTES of
 * records of 100 bytes. Prints the median of the rounds after two for warming up.
 *
 * <pre>
 * StageBenchmark iwarp|nio|epoll ROUNDS blocks MAPS REDUCERS BYTES
 * StageBenchmark iwarp|nio|epoll ROUNDS sort MEBIBYTES
 * </pre>
 */
final class StageBenchmark {
    private static final int WARM_UP = 2;
    private static final int SORT_PARTITIONS = 32;
    private static final int KEY = 10;
    private static final int VALUE = 90;

    private StageBenchmark() {}

    public static void main(String[] args) {
        String way = args[0];
        int rounds = Integer.parseInt(args[1]);
        SparkConf conf = new SparkConf()
                .setMaster("local-cluster[2,1,2048]")
                .setAppName("stage")
                .set("spark.shuffle.compress", "false")
                .set("spark.shuffle.readHostLocalDisk", "false")
                .set("spark.executor.memory", "2g");
        if (way.equals("iwarp")) {
            conf.set("spark.plugins", "io.iwarp.spark.IwarpSparkPlugin")
                    .set("spark.shuffle.manager", "io.iwarp.spark.IwarpShuffleManager");
        } else {
            conf.set("spark.shuffle.io.mode", way.toUpperCase(Locale.ROOT));
        }
        List<Double> seconds = new ArrayList<>();
        List<Double> processor = new ArrayList<>();
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            spark.setLogLevel("ERROR");
            Runnable stage = args[2].equals("sort")
                    ? sort(spark, Integer.parseInt(args[3]))
                    : blocks(spark, Integer.parseInt(args[3]), Integer.parseInt(args[4]), Integer.parseInt(args[5]));
            for (int round = -WARM_UP; round < rounds; round++) {
                long before = processorTime(spark);
                long start = System.nanoTime();
                stage.run();
                double took = (System.nanoTime() - start) / 1e9;
                double used = (processorTime(spark) - before) / 1e9;
                if (round >= 0) {
                    seconds.add(took);
                    processor.add(used);
                }
            }
        }
        Collections.sort(seconds);
        Collections.sort(processor);
        System.out.printf(
                Locale.ROOT,
                "%-24s %6s %8.2f s (%.2f to %.2f) %8.2f s of processors%n",
                String.join(" ", List.of(args).subList(2, args.length)),
                way,
                seconds.get(rounds / 2),
                seconds.get(0),
                seconds.get(rounds - 1),
                processor.get(rounds / 2));
    }

    /** Spark keeps the map output, so each run is of the reducers alone. */
    private static Runnable blocks(JavaSparkContext spark, int maps, int reducers, int bytes) {
        JavaPairRDD<Integer, byte[]> shuffled = spark.parallelize(
                        IntStream.range(0, maps).boxed().toList(), maps)
                .flatMapToPair(map -> IntStream.range(0, reducers)
                        .mapToObj(reducer -> new Tuple2<>(reducer, new byte[bytes]))
                        .iterator())
                .partitionBy(new Identity(reducers));
        return () -> {
            long records = shuffled.count();
            if (records != (long) maps * reducers) {
                throw new AssertionError(records + " records arrived");
            }
        };
    }

    private static Runnable sort(JavaSparkContext spark, int mebibytes) {
        int records = (int) ((long) mebibytes * (1 << 20) / (KEY + VALUE) / SORT_PARTITIONS);
        JavaPairRDD<String, byte[]> input = spark.parallelize(
                        IntStream.range(0, SORT_PARTITIONS).boxed().toList(), SORT_PARTITIONS)
                .flatMapToPair(part -> {
                    Random random = new Random(part);
                    return IntStream.range(0, records)
                            .mapToObj(record -> new Tuple2<>(key(random), new byte[VALUE]))
                            .iterator();
                });
        return () -> {
            long sorted = input.sortByKey(true, SORT_PARTITIONS).count();
            if (sorted != (long) records * SORT_PARTITIONS) {
                throw new AssertionError(sorted + " records arrived");
            }
        };
    }

    private static String key(Random random) {
        char[] key = new char[KEY];
        for (int i = 0; i < KEY; i++) {
            key[i] = (char) (' ' + random.nextInt('~' - ' '));
        }
        return new String(key);
    }

    /** Returns the processor time of both executors. */
    private static long processorTime(JavaSparkContext spark) {
        Map<String, Long> times = new HashMap<>();
        while (times.size() < 2) {
            spark.parallelize(List.of(0, 1, 2, 3), 4)
                    .map(part -> new Tuple2<>(
                            SparkEnv.get().executorId(),
                            ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime()))
                    .collect()
                    .forEach(time -> times.put(time._1(), time._2()));
        }
        return times.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Sends each key to the partition of this number. */
    private static final class Identity extends Partitioner {
        private final int partitions;

        Identity(int partitions) {
            this.partitions = partitions;
        }

        @Override
        public int numPartitions() {
            return partitions;
        }

        @Override
        public int getPartition(Object key) {
            return (Integer) key;
        }

        @Override
        public boolean equals(@org.jspecify.annotations.Nullable Object other) {
            return other instanceof Identity that && partitions == that.partitions;
        }

        @Override
        public int hashCode() {
            return partitions;
        }
    }
}
