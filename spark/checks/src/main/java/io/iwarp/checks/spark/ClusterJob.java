package io.iwarp.checks.spark;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.fpm.FPGrowth;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * The jobs of {@code spark/checks/cluster}, submitted to a cluster. Their rows are integers and texts, so they do not
 * depend on the order in which blocks arrive.
 *
 * <pre>ClusterJob FILE JOB...</pre>
 *
 * <p>Writes the sorted rows of each job to FILE.JOB. After each job it prints the plugin's metrics from the Prometheus
 * endpoint of the driver, if the driver has a web page.
 */
public final class ClusterJob {
    private static final int PARTITIONS = 20;
    private static final int RECORDS = 200_000;
    private static final int KEYS = 5_000;

    private ClusterJob() {}

    /** Called by SparkSubmit. */
    public static void main(String[] args) throws IOException, InterruptedException {
        try (SparkSession session = SparkSession.builder().getOrCreate()) {
            for (String job : List.of(args).subList(1, args.length)) {
                Files.write(
                        Path.of(args[0] + "." + job),
                        rows(session, job).stream().sorted().toList());
                System.out.println("ended " + job);
                if (session.sparkContext().uiWebUrl().isDefined()) {
                    printMetrics(session.sparkContext().uiWebUrl().get());
                }
            }
        }
    }

    private static List<String> rows(SparkSession session, String job) throws InterruptedException {
        JavaSparkContext spark = JavaSparkContext.fromSparkContext(session.sparkContext());
        return switch (job) {
            case "rdd" -> rows(sums(spark));
            case "sql" -> sql(session);
            case "ml" -> ml(session);
            case "decommission" -> new Executors(spark).decommission(sums(spark));
            case "dynamic" -> new Executors(spark).comeAndGo(() -> rows(sums(spark)));
            case "speculation" -> new Executors(spark).speculate(sums(spark));
            case "retry" -> new Executors(spark).retry(sums(spark));
            default -> throw new IllegalArgumentException("there is no job " + job);
        };
    }

    /** Returns the sum of the numbers of each key. Each collection of its rows reads the same shuffle. */
    private static JavaPairRDD<Integer, Long> sums(JavaSparkContext spark) {
        return spark.parallelize(IntStream.range(0, RECORDS).boxed().toList(), PARTITIONS)
                .mapToPair(number -> new Tuple2<>(number % KEYS, (long) number))
                .groupByKey(PARTITIONS)
                .mapValues(group -> {
                    long sum = 0;
                    for (long number : group) {
                        sum = Math.addExact(sum, number);
                    }
                    return sum;
                });
    }

    static List<String> rows(JavaPairRDD<Integer, Long> sums) {
        return sums.mapToPair(Tuple2::swap)
                .sortByKey(false, PARTITIONS)
                .map(Tuple2::toString)
                .collect();
    }

    /** A join of which one key has a third of the rows, so that adaptive execution splits its partition. */
    private static List<String> sql(SparkSession session) {
        session.range(0, RECORDS, 1, PARTITIONS)
                .selectExpr("if(id % 3 = 0, 0, id % 5000) as k", "id as v", "repeat(string(id), 10) as text")
                .createOrReplaceTempView("facts");
        session.range(0, KEYS, 1, PARTITIONS)
                .selectExpr("id as k", "id * 7 as w")
                .createOrReplaceTempView("dimensions");
        Dataset<Row> joined = session.sql("select d.k % 100 as g, count(*), sum(v), sum(w), max(text)"
                + " from facts f join dimensions d on f.k = d.k group by d.k % 100");
        List<String> rows = joined.collectAsList().stream().map(Row::toString).toList();
        String plan = joined.queryExecution().executedPlan().toString();
        if (!plan.contains("skew=true")) {
            throw new AssertionError("adaptive execution found no skewed partition: " + plan);
        }
        return rows;
    }

    private static List<String> ml(SparkSession session) {
        Dataset<Row> baskets = session.range(0, 20_000, 1, PARTITIONS)
                .selectExpr("transform(filter(sequence(2, 40), d -> id % d = 0), d -> string(d)) as items");
        return new FPGrowth()
                        .setMinSupport(0.01)
                        .setNumPartitions(PARTITIONS)
                        .fit(baskets)
                        .freqItemsets()
                        .selectExpr("array_join(array_sort(items), ',')", "freq")
                        .collectAsList()
                        .stream()
                        .map(Row::toString)
                        .toList();
    }

    private static void printMetrics(String driver) throws IOException {
        try (InputStream metrics =
                URI.create(driver + "/metrics/prometheus/").toURL().openStream()) {
            Arrays.stream(new String(metrics.readAllBytes(), StandardCharsets.UTF_8).split("\n"))
                    .filter(line -> line.contains("IwarpSparkPlugin"))
                    .forEach(System.out::println);
        }
    }
}
