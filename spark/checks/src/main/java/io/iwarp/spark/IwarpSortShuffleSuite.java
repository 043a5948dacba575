package io.iwarp.spark;

import org.apache.spark.SortShuffleSuite;

/**
 * Spark's {@code SortShuffleSuite} with this shuffle. It runs the tests of {@code ShuffleSuite}, which is abstract, and
 * ignores system properties.
 */
public final class IwarpSortShuffleSuite extends SortShuffleSuite {
    private final transient ReadsOfSuite reads = new ReadsOfSuite();

    /** Called by ScalaTest. */
    public IwarpSortShuffleSuite() {}

    @Override
    public void beforeAll() {
        super.beforeAll();
        Iwarp.configure(conf());
        reads.begin();
    }

    @Override
    public void afterAll() {
        super.afterAll();
        reads.require(this);
    }
}
