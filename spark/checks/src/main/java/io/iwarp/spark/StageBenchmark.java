package io.iwarp.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * An application with two executors that works when it is its turn. Each line of the standard input is a turn: a stage
 * that reads a shuffle of MAPS times REDUCERS blocks, a sort of MEBIBYTES of records of 100 bytes, or, over the tables
 * in FOLDER, a query of TPC-DS.
 *
 * <pre>StageBenchmark iwarp|nio|epoll [FOLDER]</pre>
 *
 * <pre>
 * blocks MAPS REDUCERS BYTES
 * sort MEBIBYTES
 * QUERY
 * </pre>
 *
 * <p>Prints "ready", and for each turn elapsed seconds, seconds of processors of driver and executors, and a checksum
 * of the result. The first of several turns that are the same also writes the map output of a stage.
 */
final class StageBenchmark {
    private static final int SORT_PARTITIONS = 32;
    private static final int KEY = 10;
    private static final int VALUE = 90;
    private static final char FIRST_CHARACTER = ' ';
    private static final int CHARACTERS = '~' - FIRST_CHARACTER;

    private StageBenchmark() {}

    public static void main(String[] args) throws IOException {
        String way = args[0];
        SparkConf conf = new SparkConf()
                .setMaster("local-cluster[2,1,2048]")
                .setAppName(way)
                .set("spark.shuffle.readHostLocalDisk", "false")
                .set("spark.executor.memory", "2g");
        if (way.equals("iwarp")) {
            conf.set("spark.plugins", "io.iwarp.spark.IwarpSparkPlugin")
                    .set("spark.shuffle.manager", "io.iwarp.spark.IwarpShuffleManager");
        } else {
            conf.set("spark.shuffle.io.mode", way.toUpperCase(Locale.ROOT));
        }
        boolean tpcds = args.length > 1;
        if (tpcds) {
            // Each join shuffles, and Spark does not check its plans, which it does in tests alone.
            conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
                    .set("spark.sql.planChangeValidation", "false")
                    .set("spark.sql.lightweightPlanChangeValidation", "false");
        } else {
            // Not compressed, so that blocks have the size of the case.
            conf.set("spark.shuffle.compress", "false")
                    .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
        }
        try (SparkSession session = SparkSession.builder().config(conf).getOrCreate();
                JavaSparkContext spark = JavaSparkContext.fromSparkContext(session.sparkContext());
                BufferedReader turns = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            spark.setLogLevel("ERROR");
            Function<String, LongSupplier> works;
            if (tpcds) {
                Tpcds queries = new Tpcds(session, Path.of(args[1]));
                works = query -> () -> queries.run(query);
            } else {
                works = turn -> work(spark, turn.split(" "));
            }
            System.out.println("ready");
            String latest = "";
            LongSupplier work = () -> 0;
            for (String turn = turns.readLine(); turn != null; turn = turns.readLine()) {
                if (!turn.equals(latest)) {
                    latest = turn;
                    work = works.apply(turn);
                }
                long before = processorTime(spark);
                long start = System.nanoTime();
                long checksum = work.getAsLong();
                double took = (System.nanoTime() - start) / 1e9;
                double used = (processorTime(spark) - before) / 1e9;
                // Spark deletes the files of shuffles that were collected.
                System.gc();
                System.out.printf(Locale.ROOT, "%.3f %.3f %d%n", took, used, checksum);
            }
        }
    }

    private static LongSupplier work(JavaSparkContext spark, String[] turn) {
        if (turn[0].equals("sort")) {
            return sort(spark, Integer.parseInt(turn[1]));
        }
        return blocks(spark, Integer.parseInt(turn[1]), Integer.parseInt(turn[2]), Integer.parseInt(turn[3]));
    }

    /** Spark keeps the map output, so each run is of the reducers alone. */
    private static LongSupplier blocks(JavaSparkContext spark, int maps, int reducers, int bytes) {
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
            return records;
        };
    }

    private static LongSupplier sort(JavaSparkContext spark, int mebibytes) {
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
            long sorted = input.repartitionAndSortWithinPartitions(new Ranges(SORT_PARTITIONS))
                    .count();
            if (sorted != (long) records * SORT_PARTITIONS) {
                throw new AssertionError(sorted + " records arrived");
            }
            return sorted;
        };
    }

    private static String key(Random random) {
        char[] key = new char[KEY];
        for (int i = 0; i < KEY; i++) {
            key[i] = (char) (FIRST_CHARACTER + random.nextInt(CHARACTERS));
        }
        return new String(key);
    }

    /** Returns the processor time of driver and executors, in nanoseconds. */
    private static long processorTime(JavaSparkContext spark) {
        Map<String, Long> times = new HashMap<>();
        while (times.size() < 2) {
            spark.parallelize(List.of(0, 1, 2, 3), 4)
                    .map(part -> new Tuple2<>(SparkEnv.get().executorId(), ProcessorTime.now()))
                    .collect()
                    .forEach(time -> times.put(time._1(), time._2()));
        }
        return ProcessorTime.now()
                + times.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Partitioners of one class are equal if they have the same number of partitions. */
    private abstract static class Partitions extends Partitioner {
        private final int partitions;

        Partitions(int partitions) {
            this.partitions = partitions;
        }

        @Override
        public int numPartitions() {
            return partitions;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Partitions that && getClass() == that.getClass() && partitions == that.partitions;
        }

        @Override
        public int hashCode() {
            return partitions;
        }
    }

    /** Sends each key to the partition of this number. */
    private static final class Identity extends Partitions {
        Identity(int partitions) {
            super(partitions);
        }

        @Override
        public int getPartition(Object key) {
            return (Integer) key;
        }
    }

    /** Sends keys to partitions in their order, as all characters are as likely. */
    private static final class Ranges extends Partitions {
        Ranges(int partitions) {
            super(partitions);
        }

        @Override
        public int getPartition(Object key) {
            String text = (String) key;
            int place = (text.charAt(0) - FIRST_CHARACTER) * CHARACTERS + text.charAt(1) - FIRST_CHARACTER;
            return place * numPartitions() / (CHARACTERS * CHARACTERS);
        }
    }
}
