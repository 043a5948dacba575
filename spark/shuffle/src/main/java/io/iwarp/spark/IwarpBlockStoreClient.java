package io.iwarp.spark;

import com.codahale.metrics.MetricSet;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockPushingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.MergeFinalizerListener;
import org.apache.spark.network.shuffle.MergedBlocksMetaListener;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.jspecify.annotations.Nullable;

/** Fetches blocks of map outputs by RDMA Reads. Passes all other calls to Spark's own client. */
final class IwarpBlockStoreClient extends BlockStoreClient {
    private final ShuffleNode node;
    private final BlockStoreClient spark;
    private final Predicate<BlockRange> isLarge;

    /**
     * @param spark is not closed by this client
     * @param isLarge whether blocks use Spark's own transport without a lookup
     */
    IwarpBlockStoreClient(ShuffleNode node, BlockStoreClient spark, Predicate<BlockRange> isLarge) {
        this.node = node;
        this.spark = spark;
        this.isLarge = isLarge;
    }

    @Override
    public void fetchBlocks(
            String host,
            int port,
            String execId,
            String[] blockIds,
            BlockFetchingListener listener,
            @Nullable DownloadFileManager downloadFileManager) {
        if (downloadFileManager == null) {
            node.fetch(host, port, execId, blockIds, isLarge, listener, spark);
        } else {
            // Spark writes large blocks to files.
            spark.fetchBlocks(host, port, execId, blockIds, listener, downloadFileManager);
        }
    }

    @Override
    public Cause diagnoseCorruption(
            String host,
            int port,
            String execId,
            int shuffleId,
            long mapId,
            int reduceId,
            long checksum,
            String algorithm) {
        return spark.diagnoseCorruption(host, port, execId, shuffleId, mapId, reduceId, checksum, algorithm);
    }

    @Override
    public MetricSet shuffleMetrics() {
        return spark.shuffleMetrics();
    }

    @Override
    public void setAppAttemptId(String appAttemptId) {
        spark.setAppAttemptId(appAttemptId);
    }

    @Override
    public String getAppAttemptId() {
        return spark.getAppAttemptId();
    }

    @Override
    public void getHostLocalDirs(
            String host, int port, String[] execIds, CompletableFuture<Map<String, String[]>> hostLocalDirs) {
        spark.getHostLocalDirs(host, port, execIds, hostLocalDirs);
    }

    @Override
    public void pushBlocks(
            String host, int port, String[] blockIds, ManagedBuffer[] buffers, BlockPushingListener listener) {
        spark.pushBlocks(host, port, blockIds, buffers, listener);
    }

    @Override
    public void finalizeShuffleMerge(
            String host, int port, int shuffleId, int shuffleMergeId, MergeFinalizerListener listener) {
        spark.finalizeShuffleMerge(host, port, shuffleId, shuffleMergeId, listener);
    }

    @Override
    public void getMergedBlockMeta(
            String host, int port, int shuffleId, int shuffleMergeId, int reduceId, MergedBlocksMetaListener listener) {
        spark.getMergedBlockMeta(host, port, shuffleId, shuffleMergeId, reduceId, listener);
    }

    @Override
    public boolean removeShuffleMerge(String host, int port, int shuffleId, int shuffleMergeId) {
        return spark.removeShuffleMerge(host, port, shuffleId, shuffleMergeId);
    }

    /** Does nothing: Spark closes its client, the plugin closes the node. */
    @Override
    public void close() throws IOException {}
}
