package io.iwarp.spark;

import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Kills executors with SIGKILL, and removes shuffles, while jobs read them, and compares each result with that of plain
 * Java.
 *
 * <pre>KillExecutors KILLS SEED MASTER</pre>
 */
final class KillExecutors {
    private static final int RECORDS = 60_000;
    private static final int PARTITIONS = 60;
    private static final int KEYS = 1_000;
    private static final int SHORTEST_MILLIS = 100;
    private static final int LONGEST_MILLIS = 1500;
    private static final int REMOVE_EVERY = 4;

    private KillExecutors() {}

    public static void main(String[] args) throws InterruptedException {
        int kills = Integer.parseInt(args[0]);
        Random random = new Random(Long.parseLong(args[1]));
        SparkConf conf = new SparkConf()
                .setMaster(args[2])
                .setAppName("kills")
                .set("spark.deploy.maxExecutorRetries", "-1")
                .set("spark.task.maxFailures", "1000")
                .set("spark.stage.maxConsecutiveAttempts", "1000")
                .set("spark.shuffle.io.retryWait", "200ms")
                .set("spark.shuffle.io.maxRetries", "2")
                .set("spark.executor.extraJavaOptions", "-Dio.netty.leakDetection.level=paranoid");
        Iwarp.configure(conf);
        conf.set("spark.shuffle.iwarp.fallback", "true");
        AtomicInteger killed = new AtomicInteger();
        int jobs = 0;
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            spark.setLogLevel("ERROR");
            while (killed.get() < kills) {
                AtomicBoolean done = new AtomicBoolean();
                Thread killer = new Thread(() -> disturb(spark.sc(), random, killed, done), "killer");
                killer.start();
                requireRight(job(spark), jobs);
                jobs++;
                done.set(true);
                killer.interrupt();
                killer.join();
            }
            // What is read at the end is read from executors that live.
            requireRight(job(spark), jobs);
        }
        Totals totals = DriverSide.ended();
        System.out.println(killed + " executors killed during " + jobs + " jobs, every result right; " + totals);
        if (totals.blocksRead() == 0) {
            throw new AssertionError("nothing was read by RDMA");
        }
    }

    private static void disturb(SparkContext spark, Random random, AtomicInteger killed, AtomicBoolean done) {
        try {
            for (int step = 1; !done.get(); step++) {
                TimeUnit.MILLISECONDS.sleep(
                        SHORTEST_MILLIS + random.nextInt(LONGEST_MILLIS - SHORTEST_MILLIS));
                if (step % REMOVE_EVERY == 0) {
                    spark.env().blockManager().master().removeShuffle(killed.get() % 3, false);
                } else if (killOne(random)) {
                    killed.incrementAndGet();
                }
            }
        } catch (InterruptedException jobIsDone) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean killOne(Random random) {
        List<ProcessHandle> executors = ProcessHandle.current()
                .descendants()
                .filter(process -> process.info()
                        .arguments()
                        .map(arguments -> String.join(" ", arguments).contains("CoarseGrainedExecutorBackend"))
                        .orElse(false))
                .toList();
        return !executors.isEmpty()
                && executors.get(random.nextInt(executors.size())).destroyForcibly();
    }

    private static List<Tuple2<Integer, Long>> job(JavaSparkContext spark) {
        List<Integer> numbers = IntStream.range(0, RECORDS).boxed().toList();
        return spark.parallelize(numbers, PARTITIONS)
                .mapToPair(number -> new Tuple2<>(number % KEYS, (long) number))
                .mapToPair(pair -> {
                    // A task lasts, so that kills meet reads.
                    if (ThreadLocalRandom.current().nextInt(KEYS) == 0) {
                        TimeUnit.MILLISECONDS.sleep(2);
                    }
                    return pair;
                })
                .groupByKey(PARTITIONS)
                .mapToPair(group -> {
                    long sum = 0;
                    for (long number : group._2()) {
                        sum += number;
                    }
                    return new Tuple2<>(group._1(), sum);
                })
                .repartition(PARTITIONS)
                .reduceByKey(Long::sum, PARTITIONS)
                .collect();
    }

    private static void requireRight(List<Tuple2<Integer, Long>> sums, int job) {
        if (sums.size() != KEYS) {
            throw new AssertionError("job " + job + " has " + sums.size() + " keys");
        }
        for (Tuple2<Integer, Long> sum : sums) {
            long each = RECORDS / KEYS;
            long expected = each * sum._1() + KEYS * (each * (each - 1) / 2);
            if (sum._2() != expected) {
                throw new AssertionError("job " + job + ": key " + sum._1() + " has " + sum._2() + ", not " + expected);
            }
        }
    }
}
