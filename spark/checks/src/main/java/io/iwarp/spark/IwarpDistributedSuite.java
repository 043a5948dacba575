package io.iwarp.spark;

import org.apache.spark.DistributedSuite;

/** Spark's {@code DistributedSuite} with this shuffle. */
public final class IwarpDistributedSuite extends DistributedSuite {
    static {
        // The constructor of the suite makes configurations.
        Iwarp.configureProcess();
    }

    private final transient ReadsOfSuite reads = new ReadsOfSuite();

    /** Called by ScalaTest. */
    public IwarpDistributedSuite() {}

    @Override
    public void beforeAll() {
        super.beforeAll();
        reads.begin();
    }

    @Override
    public void afterAll() {
        super.afterAll();
        reads.require(this);
    }
}
