package io.iwarp.spark;

import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import scala.Tuple2;

/**
 * Kills executors with SIGKILL, and unregisters shuffles at executors, while jobs read them. Compares each result with
 * that of plain Java.
 *
 * <pre>KillExecutors KILLS SEED MASTER</pre>
 */
final class KillExecutors {
    private static final int RECORDS = 64_000;
    private static final int PARTITIONS = 16;
    private static final int KEYS = 1_000;
    private static final int MIN_MILLIS = 100;
    private static final int MAX_MILLIS = 1500;
    private static final int REMOVE_EVERY = 8;
    private static final int MIN_EXECUTORS = 4;
    /** Each kill starts an executor, which lives for seconds, so a shorter start makes the check shorter. */
    private static final String JVM =
            "-Dio.netty.leakDetection.level=paranoid -XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private KillExecutors() {}

    public static void main(String[] args) throws InterruptedException {
        int kills = Integer.parseInt(args[0]);
        Random random = new Random(Long.parseLong(args[1]));
        SparkConf conf = new SparkConf()
                .setMaster(args[2])
                .setAppName("kills")
                .set("spark.deploy.maxExecutorRetries", "-1")
                .set("spark.scheduler.mode", "FAIR")
                .set("spark.task.maxFailures", "1000")
                .set("spark.stage.maxConsecutiveAttempts", "1000")
                .set("spark.shuffle.io.retryWait", "200ms")
                .set("spark.shuffle.io.maxRetries", "2")
                .set("spark.executor.extraJavaOptions", JVM);
        Iwarp.configure(conf);
        conf.set("spark.shuffle.iwarp.fallback", "true");
        AtomicInteger killed = new AtomicInteger();
        AtomicInteger removals = new AtomicInteger();
        int jobs = 0;
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            spark.setLogLevel("ERROR");
            // An executor that is killed before it registered is not counted: it has no shuffle.
            spark.sc().addSparkListener(new SparkListener() {
                @Override
                public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                    killed.incrementAndGet();
                }
            });
            while (killed.get() < kills) {
                AtomicBoolean done = new AtomicBoolean();
                Thread killer = new Thread(() -> disturb(spark, random, removals, done), "killer");
                killer.start();
                requireRight(job(spark), jobs);
                jobs++;
                System.out.println("job " + jobs + " is right, " + killed + " executors killed");
                done.set(true);
                killer.join();
            }
            // The last job runs without kills.
            requireRight(job(spark), jobs);
        }
        Totals totals = DriverSide.ended();
        System.out.println(killed + " executors killed and " + removals + " times all shuffles of one removed, during "
                + jobs + " jobs, every result right; " + totals);
        if (totals.blocksRead() == 0) {
            throw new AssertionError("nothing was read by RDMA");
        }
    }

    private static void disturb(JavaSparkContext spark, Random random, AtomicInteger removals, AtomicBoolean done) {
        try {
            for (int step = 1; !done.get(); step++) {
                TimeUnit.MILLISECONDS.sleep(MIN_MILLIS + random.nextInt(MAX_MILLIS - MIN_MILLIS));
                if (step % REMOVE_EVERY == 0) {
                    removeShuffles(spark);
                    removals.incrementAndGet();
                } else if (executors(spark) >= MIN_EXECUTORS) {
                    killOne(random);
                }
            }
        } catch (InterruptedException jobIsDone) {
            Thread.currentThread().interrupt();
        }
    }

    /** Unregisters all shuffles at one executor, but those of later jobs. */
    private static void removeShuffles(JavaSparkContext spark) {
        int next = spark.sc().newShuffleId();
        spark.parallelize(List.of(0), 1).foreach(part -> {
            SparkEnv env = SparkEnv.get();
            for (int shuffle = 0; shuffle < next; shuffle++) {
                env.shuffleManager().unregisterShuffle(shuffle);
            }
        });
    }

    /** Returns the number of registered executors. One is killed only if most are registered, so that jobs end. */
    private static int executors(JavaSparkContext spark) {
        // The driver is among them.
        return spark.sc().getExecutorMemoryStatus().size() - 1;
    }

    /** The processes that the driver starts are executors. */
    private static void killOne(Random random) {
        List<ProcessHandle> executors = ProcessHandle.current().children().toList();
        if (!executors.isEmpty()) {
            executors.get(random.nextInt(executors.size())).destroyForcibly();
        }
    }

    private static List<Tuple2<Integer, Long>> job(JavaSparkContext spark) {
        List<Integer> numbers = IntStream.range(0, RECORDS).boxed().toList();
        return spark.parallelize(numbers, PARTITIONS)
                .mapToPair(number -> new Tuple2<>(number % KEYS, (long) number))
                .mapToPair(pair -> {
                    // Tasks take longer, so that executors are killed while they read.
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
                .partitionBy(new HashPartitioner(PARTITIONS + 1))
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
