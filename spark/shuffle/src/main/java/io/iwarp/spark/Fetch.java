package io.iwarp.spark;

import io.netty.util.internal.OutOfDirectMemoryError;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One request of Spark for blocks of one peer. Each block is looked up, then read. Blocks that are too large or not
 * published use Spark's own transport, in one request, when all lookups are done. Blocks that fail use it once, in one
 * request, when all others have arrived.
 *
 * <p>A Read fails if its stream ends, and a stream ends with the first Read that the peer refuses, also of another
 * shuffle. So a failed block is looked up and read again, {@value #MAX_ATTEMPTS} times in all: a block that is still
 * published succeeds on the next stream.
 */
final class Fetch {
    private static final Logger LOGGER = LoggerFactory.getLogger(Fetch.class);
    private static final int MAX_ATTEMPTS = 3;

    private final Source source;
    private final Spark spark;
    private final BlockFetchingListener listener;
    private final ShuffleMetrics metrics;
    private final long maxBlockSize;
    // This guards all of the following.
    private final List<String> bypassing = new ArrayList<>();
    private final List<Failed> failed = new ArrayList<>();
    /** The blocks that must be looked up before their transport is known. */
    private int blocksToLookUp;

    private int pendingBlocks;

    /** The peer from which blocks are fetched. */
    interface Source {
        CompletableFuture<MapOutput> output(MapKey key);

        void forget(MapKey key, CompletableFuture<MapOutput> wrong);

        CompletableFuture<Session> session();

        SinkPool sinks();

        /** Returns whether a failure differs from the one before it, so that it is worth a line in the log. */
        boolean isNew(Throwable failure);
    }

    /** Spark's own transport, on a thread that may block. */
    interface Spark {
        /** Returns whether failed blocks are fetched by it. */
        boolean takesFailed();

        void fetch(String[] blocks, BlockFetchingListener listener);
    }

    private record Failed(String block, Throwable cause) {}

    Fetch(Source source, Spark spark, BlockFetchingListener listener, ShuffleMetrics metrics, long maxBlockSize) {
        this.source = source;
        this.spark = spark;
        this.listener = listener;
        this.metrics = metrics;
        this.maxBlockSize = maxBlockSize;
    }

    void start(List<BlockRange> ranges) {
        synchronized (this) {
            blocksToLookUp = ranges.size();
            pendingBlocks = ranges.size();
        }
        for (BlockRange range : ranges) {
            new Block(range).lookUp();
        }
    }

    /** One block. Its steps are sequential, so its fields need no lock. */
    private final class Block implements Session.Listener {
        private final BlockRange range;
        private @Nullable CompletableFuture<MapOutput> lookup;
        private int attempts;
        /** Whether a lookup has shown by which transport the block is read first, or all lookups failed. */
        private boolean transportKnown;

        Block(BlockRange range) {
            this.range = range;
        }

        void lookUp() {
            attempts++;
            CompletableFuture<MapOutput> output = source.output(range.map());
            lookup = output;
            output.whenComplete((found, failure) -> {
                if (failure != null) {
                    fail(failure);
                    return;
                }
                try {
                    onFound(found);
                } catch (RuntimeException | Error e) {
                    fail(e);
                }
            });
        }

        private void onFound(MapOutput output) {
            if (!output.isPublished()) {
                metrics.unpublishedBlocks.inc();
                bypass();
                return;
            }
            long length = output.length(range);
            if (length > maxBlockSize || length > Integer.MAX_VALUE) {
                metrics.largeBlocks.inc();
                bypass();
                return;
            }
            SinkPool.Sink sink = source.sinks().take((int) length);
            setTransport(false);
            source.session().whenComplete((session, failure) -> {
                if (failure == null) {
                    session.read(sink, output.data(), output.offset(range), this);
                } else {
                    failed(sink, failure);
                }
            });
        }

        private void bypass() {
            if (transportKnown) {
                // It was unpublished after the first attempt, and the request for the others was sent.
                spark.fetch(new String[] {range.blockId()}, listener);
            } else {
                setTransport(true);
            }
            finish();
        }

        @Override
        public void arrived(SinkPool.Sink sink) {
            metrics.blocksRead.inc();
            metrics.bytesRead.inc(sink.length());
            IwarpManagedBuffer buffer = new IwarpManagedBuffer(sink);
            try {
                listener.onBlockFetchSuccess(range.blockId(), buffer);
            } catch (RuntimeException e) {
                LOGGER.warn("Spark's listener threw an exception for {}", range.blockId(), e);
            } finally {
                buffer.release();
                finish();
            }
        }

        @Override
        public void failed(SinkPool.Sink sink, Throwable cause) {
            sink.release();
            fail(cause);
        }

        private void fail(Throwable failure) {
            Throwable cause = unwrapped(failure);
            CompletableFuture<MapOutput> wrong = lookup;
            if (wrong != null) {
                source.forget(range.map(), wrong);
            }
            if (attempts < MAX_ATTEMPTS && Session.mayRepeat(cause)) {
                metrics.repeatedReads.inc();
                lookUp();
                return;
            }
            setTransport(false);
            synchronized (Fetch.this) {
                failed.add(new Failed(range.blockId(), cause));
            }
            finish();
        }

        private void setTransport(boolean bypasses) {
            if (!transportKnown) {
                transportKnown = true;
                onTransportKnown(bypasses ? range.blockId() : null);
            }
        }
    }

    /** Returns what a future failed with. */
    static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** @param bypass a block that uses Spark's own transport, or null */
    private void onTransportKnown(@Nullable String bypass) {
        String[] blocks;
        synchronized (this) {
            if (bypass != null) {
                bypassing.add(bypass);
            }
            blocksToLookUp--;
            if (blocksToLookUp > 0 || bypassing.isEmpty()) {
                return;
            }
            blocks = bypassing.toArray(new String[0]);
        }
        spark.fetch(blocks, listener);
    }

    /** Called when a block has arrived, failed, or uses Spark's own transport. */
    private void finish() {
        List<Failed> all;
        synchronized (this) {
            pendingBlocks--;
            if (pendingBlocks > 0 || failed.isEmpty()) {
                return;
            }
            all = List.copyOf(failed);
        }
        List<String> again = new ArrayList<>();
        for (Failed one : all) {
            // Spark waits for memory if it gets this error.
            if (spark.takesFailed() && !(one.cause instanceof OutOfDirectMemoryError)) {
                again.add(one.block);
            } else {
                metrics.failedBlocks.inc();
                listener.onBlockFetchFailure(one.block, one.cause);
            }
        }
        if (!again.isEmpty()) {
            LOGGER.atLevel(source.isNew(all.get(0).cause) ? Level.WARN : Level.DEBUG)
                    .log(
                            "{} blocks of {} could not be read, so they use Spark's own transport; the first is {}: {}."
                                    + " Further cases with this reason are counted in the metric fallbackBlocks",
                            again.size(),
                            source,
                            again.get(0),
                            all.get(0).cause.toString());
            metrics.fallbackBlocks.inc(again.size());
            spark.fetch(again.toArray(new String[0]), listener);
        }
    }
}
