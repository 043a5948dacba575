package io.iwarp.spark;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.network.BlockDataManager;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.storage.StorageLevel;
import scala.Option;
import scala.reflect.ClassTag;

/** The control of the benchmark: serves blocks as slices of files that are mapped once, so that none is opened. */
final class MappedBlocks implements BlockDataManager {
    private final IndexShuffleBlockResolver files;
    private final Map<MapKey, Files> mapped = new ConcurrentHashMap<>();

    private record Files(ByteBuffer data, ByteBuffer index) {}

    MappedBlocks(SparkEnv env) {
        files = ((IwarpShuffleManager) env.shuffleManager()).shuffleBlockResolver();
    }

    @Override
    public ManagedBuffer getLocalBlockData(BlockId blockId) {
        ShuffleBlockId block = (ShuffleBlockId) blockId;
        Files of = mapped.computeIfAbsent(
                new MapKey(block.shuffleId(), block.mapId()),
                key -> new Files(
                        map(files.getDataFile(key.shuffleId(), key.mapId())),
                        map(files.getIndexFile(key.shuffleId(), key.mapId(), Option.empty()))));
        int start = (int) of.index.getLong(block.reduceId() * Long.BYTES);
        int end = (int) of.index.getLong((block.reduceId() + 1) * Long.BYTES);
        return new NioManagedBuffer(of.data.slice(start, end - start));
    }

    private static MappedByteBuffer map(File file) {
        try (FileChannel channel = FileChannel.open(file.toPath())) {
            return channel.map(MapMode.READ_ONLY, 0, channel.size());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Cause diagnoseShuffleBlockCorruption(BlockId blockId, long checksumByReader, String algorithm) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String[] getLocalDiskDirs() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ManagedBuffer getHostLocalShuffleData(BlockId blockId, String[] dirs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean putBlockData(BlockId blockId, ManagedBuffer data, StorageLevel level, ClassTag<?> classTag) {
        throw new UnsupportedOperationException();
    }

    @Override
    public StreamCallbackWithID putBlockDataAsStream(BlockId blockId, StorageLevel level, ClassTag<?> classTag) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void releaseLock(BlockId blockId, Option<TaskContext> taskContext) {}
}
