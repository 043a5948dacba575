package io.iwarp.examples.spark;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Counts words, on a cluster of two executors on this machine. */
public final class CountWords {
    private static final int PARTITIONS = 100;
    private static final String[] WORDS = {"write", "read", "send", "receive", "remote", "direct", "memory", "access"};

    private CountWords() {}

    public static void main(String[] args) {
        SparkConf conf = new SparkConf()
                .setMaster("local-cluster[2,1,1024]")
                .setAppName("count words")
                // These two lines are all that a job needs.
                .set("spark.plugins", "io.iwarp.spark.IwarpSparkPlugin")
                .set("spark.shuffle.manager", "io.iwarp.spark.IwarpShuffleManager")
                // On one host, Spark reads the files of other executors itself. On several hosts, leave this out.
                .set("spark.shuffle.readHostLocalDisk", "false");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            spark.setLogLevel("WARN");
            List<Tuple2<String, Integer>> counts = spark.parallelize(
                            IntStream.range(0, 800_000).boxed().toList(), PARTITIONS)
                    .mapToPair(number -> new Tuple2<>(WORDS[number % WORDS.length], 1))
                    .reduceByKey(Integer::sum, PARTITIONS)
                    .collect();
            counts.forEach(count -> System.out.println(count._1() + " " + count._2()));
            spark.setLogLevel("INFO"); // At its end the driver logs how blocks were fetched.
        }
    }
}
