package io.iwarp.checks.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import scala.Option;
import scala.Tuple2;

/** Jobs during which executors end, or tasks and stages are repeated. Each fails if that did not happen. */
final class Executors {
    private static final int EXECUTORS = 2;
    private static final int DECOMMISSIONS = 3;
    private static final String MINUTES = "spark.checks.minutes";
    private static final int BURSTS = 8;
    private static final long PAUSE_MILLIS = 4_000;
    private static final long POLL_MILLIS = 100;
    private static final long PATIENCE_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private final JavaSparkContext spark;
    private final List<String> alive = new ArrayList<>();
    private final AtomicInteger added = new AtomicInteger();
    private final AtomicInteger speculative = new AtomicInteger();
    private final AtomicInteger repeatedStages = new AtomicInteger();

    Executors(JavaSparkContext spark) {
        this.spark = spark;
        for (var each = spark.sc().getExecutorIds().iterator(); each.hasNext(); ) {
            alive.add(each.next());
        }
        spark.sc().addSparkListener(new SparkListener() {
            @Override
            public void onExecutorAdded(SparkListenerExecutorAdded executor) {
                added.incrementAndGet();
                synchronized (alive) {
                    if (!alive.contains(executor.executorId())) {
                        alive.add(executor.executorId());
                    }
                }
            }

            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved executor) {
                synchronized (alive) {
                    alive.remove(executor.executorId());
                }
            }

            @Override
            public void onTaskStart(SparkListenerTaskStart start) {
                if (start.taskInfo().speculative()) {
                    speculative.incrementAndGet();
                }
            }

            @Override
            public void onStageSubmitted(SparkListenerStageSubmitted stage) {
                if (stage.stageInfo().attemptNumber() > 0) {
                    repeatedStages.incrementAndGet();
                }
            }
        });
    }

    private List<String> alive() {
        synchronized (alive) {
            return List.copyOf(alive);
        }
    }

    private List<String> awaitExecutors() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (alive().size() < EXECUTORS) {
            require(System.nanoTime() < end, "no new executor started");
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return alive();
    }

    /** Executors are decommissioned one after the other, and the same shuffle is read again. */
    List<String> decommission(JavaPairRDD<Integer, Long> sums) throws InterruptedException {
        awaitExecutors();
        List<String> rows = ClusterJob.rows(sums);
        for (int i = 0; i < DECOMMISSIONS; i++) {
            String oldest = awaitExecutors().get(0);
            Tuple2<String, ExecutorDecommissionInfo> whom =
                    new Tuple2<>(oldest, new ExecutorDecommissionInfo("of the check", Option.empty()));
            @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no arrays of generic types.
            Tuple2<String, ExecutorDecommissionInfo>[] all = new Tuple2[] {whom};
            ((ExecutorAllocationClient) spark.sc().schedulerBackend()).decommissionExecutors(all, false, false);
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
            while (alive().contains(oldest)) {
                require(System.nanoTime() < end, "executor " + oldest + " did not end");
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
            awaitExecutors();
            require(ClusterJob.rows(sums).equals(rows), "the rows changed after a decommission");
        }
        return rows;
    }

    /** Work comes in bursts, between which idle executors end. */
    List<String> comeAndGo(Supplier<List<String>> work) throws InterruptedException {
        List<String> rows = work.get();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(spark.getConf().getInt(MINUTES, 0));
        int bursts = 0;
        while (bursts < BURSTS || System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            require(work.get().equals(rows), "the rows of two bursts differ");
            bursts++;
        }
        System.out.println(added + " executors started in " + bursts + " bursts");
        require(added.get() > bursts, added + " executors started in " + bursts + " bursts");
        return rows;
    }

    /** The first attempt of a task in each stage lasts until its speculative copy ends, which interrupts it. */
    List<String> speculate(JavaPairRDD<Integer, Long> sums) throws InterruptedException {
        awaitExecutors();
        List<String> rows = ClusterJob.rows(sums.mapPartitionsToPair(
                part -> {
                    if (isFirst(TaskContext.get())) {
                        TimeUnit.MILLISECONDS.sleep(PATIENCE_MILLIS);
                    }
                    return part;
                },
                true));
        require(speculative.get() > 0, "no task was speculative");
        return rows;
    }

    /** An executor ends in the reduce stage, so its map outputs are lost. */
    List<String> retry(JavaPairRDD<Integer, Long> sums) throws InterruptedException {
        awaitExecutors();
        List<String> rows = ClusterJob.rows(sums.mapPartitionsToPair(
                part -> {
                    if (isFirst(TaskContext.get())) {
                        Runtime.getRuntime().halt(1);
                    }
                    return part;
                },
                true));
        require(repeatedStages.get() > 0, "no stage was repeated");
        return rows;
    }

    /** Returns whether this is the first attempt of one task of each stage. */
    private static boolean isFirst(TaskContext task) {
        return task.partitionId() == 1 && task.attemptNumber() == 0 && task.stageAttemptNumber() == 0;
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}
