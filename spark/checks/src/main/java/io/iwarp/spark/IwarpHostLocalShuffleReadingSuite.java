package io.iwarp.spark;

import org.apache.spark.shuffle.HostLocalShuffleReadingSuite;

/**
 * Spark's {@code HostLocalShuffleReadingSuite} with this shuffle. Executors of one host read each other's files here,
 * so no Reads are needed.
 */
public final class IwarpHostLocalShuffleReadingSuite extends HostLocalShuffleReadingSuite {
    static {
        // The constructor of the suite makes configurations.
        Iwarp.configureProcess();
    }

    /** Called by ScalaTest. */
    public IwarpHostLocalShuffleReadingSuite() {}
}
