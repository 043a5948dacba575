package io.iwarp.spark;

/** The blocks by each transport, of one executor or of all. */
record Totals(long blocksRead, long bytesRead, long largeBlocks, long unpublishedBlocks, long fallbackBlocks) {

    static final Totals ZERO = new Totals(0, 0, 0, 0, 0);

    Totals plus(Totals other) {
        return new Totals(
                blocksRead + other.blocksRead,
                bytesRead + other.bytesRead,
                largeBlocks + other.largeBlocks,
                unpublishedBlocks + other.unpublishedBlocks,
                fallbackBlocks + other.fallbackBlocks);
    }

    @Override
    public String toString() {
        return blocksRead + " blocks (" + bytesRead + " bytes) by RDMA Reads; by Spark's transport " + largeBlocks
                + " large blocks, " + unpublishedBlocks + " that were not published, " + fallbackBlocks
                + " after a failure";
    }
}
