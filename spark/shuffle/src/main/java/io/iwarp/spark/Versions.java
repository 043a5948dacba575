package io.iwarp.spark;

import io.netty.util.Version;
import java.util.Map;

/** The versions of the libraries of this process. */
final class Versions {
    private static final String NETTY = "netty-transport";

    private Versions() {}

    /** Returns the versions of the plugin, Spark, Netty and Java, for the log. */
    static String text() {
        String plugin = Versions.class.getPackage().getImplementationVersion();
        Map<String, Version> netty = Version.identify();
        return "iwarp-spark " + (plugin == null ? "(not from its jar)" : plugin) + ", Spark "
                + org.apache.spark.package$.MODULE$.SPARK_VERSION() + ", Netty "
                + (netty.containsKey(NETTY) ? netty.get(NETTY).artifactVersion() : "of an unknown version") + ", Java "
                + Runtime.version();
    }
}
