package io.iwarp.spark;

import org.apache.spark.storage.BlockManagerDecommissionIntegrationSuite;

/** Spark's {@code BlockManagerDecommissionIntegrationSuite} with this shuffle. */
public final class IwarpBlockManagerDecommissionIntegrationSuite extends BlockManagerDecommissionIntegrationSuite {
    private final transient ReadsOfSuite reads = new ReadsOfSuite();

    /** Called by ScalaTest. */
    public IwarpBlockManagerDecommissionIntegrationSuite() {}

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
