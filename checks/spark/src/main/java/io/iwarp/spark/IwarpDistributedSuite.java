package io.iwarp.spark;

import org.apache.spark.DistributedSuite;

/** Spark's {@code DistributedSuite} with this shuffle. */
public final class IwarpDistributedSuite extends DistributedSuite {
    private final transient ReadsOfSuite reads = new ReadsOfSuite();

    /** Called by ScalaTest. */
    public IwarpDistributedSuite() {}

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
