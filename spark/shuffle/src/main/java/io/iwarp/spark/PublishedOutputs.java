package io.iwarp.spark;

import io.iwarp.spark.OutputRegions.Output;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map outputs of this executor that peers can read: their files, registered, and their slots in the directory.
 *
 * <p>Any thread may call any method.
 */
final class PublishedOutputs implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(PublishedOutputs.class);

    private final OutputRegions regions;
    private final Directory directory;
    private final ShuffleMetrics metrics;
    private final Duration releaseDelay;
    private final Delays delays;
    /** The shuffles of which a task has begun a map output, until they are removed. Guarded by this. */
    private final Map<Integer, Shuffle> shuffles = new HashMap<>();

    private boolean closed;
    private boolean logged;

    /** Runs a task later. */
    interface Delays {
        void after(Duration delay, Runnable task);
    }

    PublishedOutputs(
            OutputRegions regions, Directory directory, ShuffleMetrics metrics, Duration releaseDelay, Delays delays) {
        this.regions = regions;
        this.directory = directory;
        this.metrics = metrics;
        this.releaseDelay = releaseDelay;
        this.delays = delays;
    }

    /** The published map outputs of a shuffle. Its lock is that of all published outputs. */
    private static final class Shuffle {
        private final Map<Long, Output> outputs = new HashMap<>();
    }

    /** A map output that is being written. */
    final class PendingOutput {
        private final MapKey key;
        private final Shuffle shuffle;

        private PendingOutput(MapKey key, Shuffle shuffle) {
            this.key = key;
            this.shuffle = shuffle;
        }

        /**
         * Publishes the files, unless the shuffle was removed since {@link #begin}: a task may end after the removal. A
         * file that cannot be published stays where it is, and peers use Spark's own transport for it.
         *
         * @param data may be missing or empty if all partitions are
         */
        void publish(File data, File index) {
            PublishedOutputs.this.publish(this, data, index);
        }
    }

    /** Begins a map output. A shuffle that was removed can be written again, when Spark repeats its stage. */
    synchronized PendingOutput begin(MapKey key) {
        return new PendingOutput(key, shuffles.computeIfAbsent(key.shuffleId(), id -> new Shuffle()));
    }

    private void publish(PendingOutput pending, File data, File index) {
        if (data.length() == 0) {
            return;
        }
        String obstacle;
        try {
            obstacle = tryPublish(pending, data, index);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            obstacle = e.toString();
        }
        if (obstacle == null) {
            metrics.mapsPublished.inc();
            return;
        }
        metrics.mapsNotPublished.inc();
        if (firstTime()) {
            LOGGER.warn(
                    "Map output {} is not published, so reducers use Spark's own transport for it: {}. Further cases"
                            + " are counted in the metric mapsNotPublished",
                    pending.key,
                    obstacle);
        }
    }

    private synchronized boolean firstTime() {
        boolean first = !logged;
        logged = true;
        return first;
    }

    private @Nullable String tryPublish(PendingOutput pending, File data, File index) throws IOException {
        Output output = regions.register(data, index);
        MapSlot slot = new MapSlot(
                pending.key, output.data().remoteBuffer(), output.index().remoteBuffer(), output.indexChecksum());
        String obstacle = add(pending.shuffle, slot, output);
        if (obstacle != null) {
            regions.close(output);
        }
        return obstacle;
    }

    private synchronized @Nullable String add(Shuffle shuffle, MapSlot slot, Output output) {
        if (closed) {
            return "the executor has ended";
        }
        if (shuffles.get(slot.key().shuffleId()) != shuffle) {
            return "its shuffle was removed";
        }
        if (!directory.add(slot)) {
            return "its slots in the directory are taken (" + directory.used() + " of " + directory.slots()
                    + " are in use): increase " + ShuffleSettings.PREFIX + "directorySlots";
        }
        Output previous = shuffle.outputs.put(slot.key().mapId(), output);
        if (previous != null) {
            release(List.of(previous));
        }
        return null;
    }

    /** Removes the map outputs of a shuffle from the directory at once, and releases their files after the delay. */
    synchronized void unregister(int shuffleId) {
        Shuffle shuffle = shuffles.remove(shuffleId);
        if (shuffle != null) {
            shuffle.outputs.keySet().forEach(mapId -> directory.remove(new MapKey(shuffleId, mapId)));
            release(List.copyOf(shuffle.outputs.values()));
        }
    }

    /**
     * A Read of a revoked region ends its stream, with all other Reads on it. So the regions are closed after a delay,
     * when reducers that know them have ended.
     */
    private void release(List<Output> unpublished) {
        delays.after(releaseDelay, () -> unpublished.forEach(regions::close));
    }

    /** Revokes everything. */
    @Override
    public synchronized void close() {
        closed = true;
        shuffles.values().forEach(shuffle -> shuffle.outputs.values().forEach(regions::close));
        shuffles.clear();
    }
}
