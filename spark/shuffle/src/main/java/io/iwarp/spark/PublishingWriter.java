package io.iwarp.spark;

import java.io.IOException;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleWriter;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;

/** Spark's writer of a map output, which is published when it is complete, before its status is reported. */
final class PublishingWriter<K, V> extends ShuffleWriter<K, V> {
    private final ShuffleWriter<K, V> writer;
    private final IndexShuffleBlockResolver files;
    private final MapKey key;
    private final PublishedOutputs.PendingOutput pending;

    PublishingWriter(ShuffleWriter<K, V> writer, ShuffleNode node, IndexShuffleBlockResolver files, MapKey key) {
        this.writer = writer;
        this.files = files;
        this.key = key;
        this.pending = node.begin(key);
    }

    @Override
    public void write(Iterator<Product2<K, V>> records) throws IOException {
        writer.write(records);
    }

    @Override
    public Option<MapStatus> stop(boolean success) {
        Option<MapStatus> status = writer.stop(success);
        if (success && status.isDefined()) {
            pending.publish(
                    files.getDataFile(key.shuffleId(), key.mapId()),
                    files.getIndexFile(key.shuffleId(), key.mapId(), Option.empty()));
        }
        return status;
    }

    @Override
    public long[] getPartitionLengths() {
        return writer.getPartitionLengths();
    }
}
