package io.iwarp.spark;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The blocks of a reduce task whose size is above a limit, by the sizes that map tasks reported. They need no lookup.
 * Not changed after {@link #addAll}.
 */
final class LargeBlocks {
    /** Spark rounds sizes up by at most this factor. */
    private static final double ROUNDING = 1.1;

    private final long maxBlockSize;
    private final boolean batches;
    private final Set<Part> parts = new HashSet<>();
    /** The sizes of all blocks of a map output, if they are fetched as one. */
    private final Map<Long, Long> sums = new HashMap<>();

    private record Part(long mapId, int reduceId) {}

    /** @param batches whether Spark fetches the blocks of a map output as one */
    LargeBlocks(long maxBlockSize, boolean batches) {
        this.maxBlockSize = maxBlockSize;
        this.batches = batches;
    }

    /** Adds the blocks of a reduce task, with the sizes that Spark knows. */
    void addAll(Seq<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocksByAddress) {
        for (var executors = blocksByAddress.iterator(); executors.hasNext(); ) {
            Iterator<Tuple3<BlockId, Object, Object>> blocks =
                    executors.next()._2().iterator();
            while (blocks.hasNext()) {
                Tuple3<BlockId, Object, Object> block = blocks.next();
                if (block._1() instanceof ShuffleBlockId id) {
                    add(id.mapId(), id.reduceId(), (long) block._2());
                }
            }
        }
    }

    private void add(long mapId, int reduceId, long size) {
        if (batches) {
            sums.merge(mapId, size, Long::sum);
        } else if (isLarge(size)) {
            parts.add(new Part(mapId, reduceId));
        }
    }

    private boolean isLarge(long size) {
        return size / ROUNDING > maxBlockSize;
    }

    /** Returns whether these blocks are above the limit, even if Spark rounded their size up. */
    boolean contains(BlockRange range) {
        return batches
                ? isLarge(sums.getOrDefault(range.mapId(), 0L))
                : parts.contains(new Part(range.mapId(), range.start()));
    }
}
