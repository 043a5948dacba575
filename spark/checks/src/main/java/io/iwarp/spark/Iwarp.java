package io.iwarp.spark;

import java.util.Map;
import org.apache.spark.SparkConf;

/** The configuration of the checks, in which a block that is not read by RDMA fails. */
final class Iwarp {
    private static final Map<String, String> STRICT = Map.of(
            "spark.plugins", "io.iwarp.spark.IwarpSparkPlugin",
            "spark.shuffle.manager", "io.iwarp.spark.IwarpShuffleManager",
            "spark.shuffle.iwarp.fallback", "false",
            "spark.shuffle.iwarp.maxBlockSize", "512m",
            "spark.shuffle.readHostLocalDisk", "false");

    private Iwarp() {}

    static void configure(SparkConf conf) {
        STRICT.forEach(conf::set);
    }

    /** For suites that make their own configurations, which include the system properties. */
    static void configureProcess() {
        STRICT.forEach(System::setProperty);
    }
}
