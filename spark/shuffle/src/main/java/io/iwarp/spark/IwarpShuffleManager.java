package io.iwarp.spark;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's own shuffle, but map output is published for RDMA Reads, and reducers read it by them. Files and their
 * contents are the same. Set {@code spark.shuffle.manager} to the name of this class, and {@code spark.plugins} to
 * {@code io.iwarp.spark.IwarpSparkPlugin}.
 */
public class IwarpShuffleManager extends SortShuffleManager {
    private static final Logger LOGGER = LoggerFactory.getLogger(IwarpShuffleManager.class);
    private static final String PLUGINS = "spark.plugins";

    private final MigratableOutputs outputs;

    /** Called by Spark. */
    public IwarpShuffleManager(SparkConf conf) {
        super(conf);
        outputs = MigratableOutputs.create(conf);
        if (!conf.get(PLUGINS, "").contains(IwarpSparkPlugin.class.getName())) {
            LOGGER.warn("Shuffles use Spark's own transport: set {} to {}", PLUGINS, IwarpSparkPlugin.class.getName());
        }
    }

    @Override
    public IndexShuffleBlockResolver shuffleBlockResolver() {
        return outputs;
    }

    @Override
    public <K, V> ShuffleWriter<K, V> getWriter(
            ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
        ShuffleWriter<K, V> writer = super.getWriter(handle, mapId, context, metrics);
        ShuffleNode node = CurrentNode.get();
        return node == null
                ? writer
                : new PublishingWriter<>(writer, node, outputs, new MapKey(handle.shuffleId(), mapId));
    }

    @Override
    public <K, C> ShuffleReader<K, C> getReader(
            ShuffleHandle handle,
            int startMapIndex,
            int endMapIndex,
            int startPartition,
            int endPartition,
            TaskContext context,
            ShuffleReadMetricsReporter metrics) {
        ShuffleNode node = CurrentNode.get();
        @SuppressWarnings("unchecked") // Spark's own manager does the same cast.
        ShuffleDependency<K, ?, C> dependency = ((BaseShuffleHandle<K, ?, C>) handle).dependency();
        // Merged blocks are served by the external shuffle service.
        if (node == null || dependency.isShuffleMergeFinalizedMarked()) {
            return super.getReader(handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
        }
        SparkEnv env = SparkEnv.get();
        return new IwarpShuffleReader<>(
                dependency,
                env.mapOutputTracker()
                        .getMapSizesByExecutorId(
                                handle.shuffleId(), startMapIndex, endMapIndex, startPartition, endPartition)
                        .toSeq(),
                context,
                metrics,
                env,
                node,
                SortShuffleManager.canUseBatchFetch(startPartition, endPartition, context));
    }

    @Override
    public boolean unregisterShuffle(int shuffleId) {
        ShuffleNode node = CurrentNode.get();
        if (node != null) {
            node.unregister(shuffleId);
        }
        outputs.removeMigrated(shuffleId);
        return super.unregisterShuffle(shuffleId);
    }
}
