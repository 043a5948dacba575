package io.iwarp.spark;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;

/** A fake of Spark's own client, which delivers the same text for each block. */
class FakeSpark extends BlockStoreClient {
    static final String CONTENT = "by Spark's own transport";

    /** The blocks of each call. */
    final Collection<List<String>> calls = new ConcurrentLinkedQueue<>();

    @Override
    public void fetchBlocks(
            String host,
            int port,
            String execId,
            String[] blockIds,
            BlockFetchingListener listener,
            DownloadFileManager downloadFileManager) {
        calls.add(List.of(blockIds));
        for (String block : blockIds) {
            listener.onBlockFetchSuccess(
                    block, new NioManagedBuffer(ByteBuffer.wrap(CONTENT.getBytes(StandardCharsets.US_ASCII))));
        }
    }

    @Override
    public void close() {}
}
