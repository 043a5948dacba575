package io.iwarp.spark;

import io.iwarp.spark.PublishedOutputs.PendingOutput;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.apache.spark.util.collection.OpenHashSet;
import scala.Option;
import scala.runtime.BoxedUnit;

/**
 * Spark's files of map outputs. Publishes those that a decommissioned executor migrates to this one.
 *
 * <p>Any thread may call any method.
 */
final class MigratableOutputs extends IndexShuffleBlockResolver {
    /** The map ids of each shuffle whose files came from other executors. Spark's resolver adds them. */
    private final ConcurrentHashMap<Object, OpenHashSet<Object>> migrated;

    private MigratableOutputs(SparkConf conf, ConcurrentHashMap<Object, OpenHashSet<Object>> migrated) {
        super(conf, migrated);
        this.migrated = migrated;
    }

    static MigratableOutputs create(SparkConf conf) {
        return new MigratableOutputs(conf, new ConcurrentHashMap<>());
    }

    /** Called for the data and for the index of a map output, in any order. */
    @Override
    public StreamCallbackWithID putShuffleBlockAsStream(BlockId blockId, SerializerManager serializerManager) {
        StreamCallbackWithID file = super.putShuffleBlockAsStream(blockId, serializerManager);
        ShuffleNode node = CurrentNode.get();
        if (node == null) {
            return file;
        }
        if (blockId instanceof ShuffleDataBlockId data) {
            return migrated(file, node, new MapKey(data.shuffleId(), data.mapId()));
        }
        return blockId instanceof ShuffleIndexBlockId index
                ? migrated(file, node, new MapKey(index.shuffleId(), index.mapId()))
                : file;
    }

    private StreamCallbackWithID migrated(StreamCallbackWithID file, ShuffleNode node, MapKey key) {
        return new MigratedFile(file, key, node.begin(key));
    }

    /** One of the files of a map output, which is published when both are complete. */
    private final class MigratedFile implements StreamCallbackWithID {
        private final StreamCallbackWithID file;
        private final MapKey key;
        private final PendingOutput pending;

        MigratedFile(StreamCallbackWithID file, MapKey key, PendingOutput pending) {
            this.file = file;
            this.key = key;
            this.pending = pending;
        }

        @Override
        public String getID() {
            return file.getID();
        }

        @Override
        public ByteBuffer getCompletionResponse() {
            return file.getCompletionResponse();
        }

        @Override
        public void onData(String streamId, ByteBuffer bytes) throws IOException {
            file.onData(streamId, bytes);
        }

        @Override
        public void onComplete(String streamId) throws IOException {
            file.onComplete(streamId);
            File data = getDataFile(key.shuffleId(), key.mapId());
            File index = getIndexFile(key.shuffleId(), key.mapId(), Option.empty());
            if (data.exists() && index.exists()) {
                pending.publish(data, index);
            }
        }

        @Override
        public void onFailure(String streamId, Throwable cause) throws IOException {
            file.onFailure(streamId, cause);
        }
    }

    /** Removes the files of a shuffle that came from other executors. */
    void removeMigrated(int shuffleId) {
        OpenHashSet<Object> maps = migrated.remove(shuffleId);
        if (maps != null) {
            maps.iterator().foreach(mapId -> {
                removeDataByMap(shuffleId, (long) mapId);
                return BoxedUnit.UNIT;
            });
        }
    }
}
