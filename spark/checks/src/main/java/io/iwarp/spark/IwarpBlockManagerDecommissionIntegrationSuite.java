package io.iwarp.spark;

import org.apache.spark.storage.BlockManagerDecommissionIntegrationSuite;

/** Spark's {@code BlockManagerDecommissionIntegrationSuite} with this shuffle. */
public final class IwarpBlockManagerDecommissionIntegrationSuite extends BlockManagerDecommissionIntegrationSuite {
    static {
        // The constructor of the suite makes configurations.
        Iwarp.configureProcess();
    }

    private final transient ReadsOfSuite reads = new ReadsOfSuite();

    /** Called by ScalaTest. */
    public IwarpBlockManagerDecommissionIntegrationSuite() {}

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
