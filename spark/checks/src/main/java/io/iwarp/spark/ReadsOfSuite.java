package io.iwarp.spark;

import org.scalatest.Suite;

/** Fails a suite that passed without RDMA Reads. */
final class ReadsOfSuite {
    private Totals before = Totals.ZERO;

    void begin() {
        before = DriverSide.ended();
    }

    void require(Suite suite) {
        Totals after = DriverSide.ended();
        long reads = after.blocksRead() - before.blocksRead();
        System.out.println(suite.suiteName() + ": " + reads + " blocks by RDMA Reads, "
                + (after.unpublishedBlocks() - before.unpublishedBlocks()) + " not published");
        if (reads == 0 || after.fallbackBlocks() != before.fallbackBlocks()) {
            throw new AssertionError(suite.suiteName() + " did not read by RDMA: " + after);
        }
    }
}
