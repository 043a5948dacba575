package io.iwarp.spark;

import org.apache.spark.shuffle.HostLocalShuffleReadingSuite;

/** Spark's {@code HostLocalShuffleReadingSuite} with this shuffle. */
public final class IwarpHostLocalShuffleReadingSuite extends HostLocalShuffleReadingSuite {
    private final transient ReadsOfSuite reads = new ReadsOfSuite();

    /** Called by ScalaTest. */
    public IwarpHostLocalShuffleReadingSuite() {}

    @Override
    public void beforeAll() {
        Iwarp.configureProcess();
        super.beforeAll();
        reads.begin();
    }

    @Override
    public void afterAll() {
        super.afterAll();
        reads.require(this);
    }
}
