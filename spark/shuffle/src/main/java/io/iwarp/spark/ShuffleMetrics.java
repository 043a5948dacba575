package io.iwarp.spark;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;

/** The counters of an executor. {@code docs/spark.md} explains the names. */
final class ShuffleMetrics {
    final Counter blocksRead;
    final Counter bytesRead;
    final Counter lookups;
    final Counter largeBlocks;
    final Counter unpublishedBlocks;
    final Counter fallbackBlocks;
    final Counter failedBlocks;
    final Counter repeatedReads;
    final Counter connections;
    final Counter failedConnections;
    final Counter brokenConnections;
    final Counter rejectedConnections;
    final Counter mapsPublished;
    final Counter mapsNotPublished;

    ShuffleMetrics(MetricRegistry registry) {
        blocksRead = registry.counter("blocksRead");
        bytesRead = registry.counter("bytesRead");
        lookups = registry.counter("lookups");
        largeBlocks = registry.counter("largeBlocks");
        unpublishedBlocks = registry.counter("unpublishedBlocks");
        fallbackBlocks = registry.counter("fallbackBlocks");
        failedBlocks = registry.counter("failedBlocks");
        repeatedReads = registry.counter("repeatedReads");
        connections = registry.counter("connections");
        failedConnections = registry.counter("failedConnections");
        brokenConnections = registry.counter("brokenConnections");
        rejectedConnections = registry.counter("rejectedConnections");
        mapsPublished = registry.counter("mapsPublished");
        mapsNotPublished = registry.counter("mapsNotPublished");
    }

    /** Returns what the driver adds up. */
    Totals totals() {
        return new Totals(
                blocksRead.getCount(),
                bytesRead.getCount(),
                largeBlocks.getCount(),
                unpublishedBlocks.getCount(),
                fallbackBlocks.getCount());
    }
}
