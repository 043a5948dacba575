package io.iwarp.spark;

import java.nio.file.Path;
import org.apache.spark.SparkConf;

/** The configuration of an application with two executors, in processes of their own. */
final class LocalCluster {
    private LocalCluster() {}

    /** Returns a configuration in which a block fails that is not read by RDMA. */
    static SparkConf conf(Path home) {
        System.setProperty("spark.testing", "true");
        System.setProperty("spark.test.home", home.toString());
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return new SparkConf()
                .setMaster("local-cluster[2,1,512]")
                .setAppName("iwarp-shuffle")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.executor.extraClassPath", classPath)
                .set("spark.executor.memory", "512m")
                .set("spark.testing.memory", Integer.toString(512 << 20))
                .set("spark.shuffle.readHostLocalDisk", "false")
                .set("spark.plugins", IwarpSparkPlugin.class.getName())
                .set("spark.shuffle.manager", IwarpShuffleManager.class.getName())
                .set("spark.shuffle.iwarp.fallback", "false");
    }

    /** Returns such a configuration with authentication and TLS. */
    static SparkConf secure(Path home) {
        return conf(home)
                .set("spark.authenticate", "true")
                .set("spark.authenticate.secret", "of the cluster")
                .set("spark.network.crypto.enabled", "true");
    }
}
