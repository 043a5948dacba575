package io.iwarp.spark;

import java.io.InputStream;
import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.util.CompletionIterator;
import org.apache.spark.util.SystemClock;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Function2;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Reads the blocks of a reduce task. It does what Spark's {@code BlockStoreShuffleReader} does, with another client for
 * the blocks of other executors.
 */
final class IwarpShuffleReader<K, C> implements ShuffleReader<K, C> {
    private static final long MEBIBYTE = 1 << 20;
    private static final RowBasedChecksum[] NO_CHECKSUMS = {};

    private final ShuffleDependency<K, ?, C> dependency;
    private final Seq<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocksByAddress;
    private final TaskContext context;
    private final ShuffleReadMetricsReporter readMetrics;
    private final SparkEnv env;
    private final ShuffleNode node;
    private final boolean batchFetch;

    /** @param batchFetch whether adjacent blocks of a map output may be fetched as one, if the serializer allows it */
    IwarpShuffleReader(
            ShuffleDependency<K, ?, C> dependency,
            Seq<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocksByAddress,
            TaskContext context,
            ShuffleReadMetricsReporter readMetrics,
            SparkEnv env,
            ShuffleNode node,
            boolean batchFetch) {
        this.dependency = dependency;
        this.blocksByAddress = blocksByAddress;
        this.context = context;
        this.readMetrics = readMetrics;
        this.env = env;
        this.node = node;
        this.batchFetch = batchFetch;
    }

    @Override
    public Iterator<Product2<K, C>> read() {
        SerializerInstance serializer = dependency.serializer().newInstance();
        Iterator<Tuple2<Object, Object>> records = fetcher()
                .toCompletionIterator()
                // Closes the stream at its end.
                .flatMap(block -> serializer.deserializeStream(block._2()).asKeyValueIterator());
        Iterator<Tuple2<Object, Object>> counted = new Counted(records.map(record -> {
            readMetrics.incRecordsRead(1);
            return record;
        }));
        // Interruptible, so that the task can be cancelled.
        Iterator<Tuple2<Object, Object>> input = new InterruptibleIterator<>(context, counted);
        Iterator<Product2<K, C>> result = combined(input);
        // A sorter or an aggregator has consumed the input, and its output can be cancelled too.
        return result instanceof InterruptibleIterator ? result : new InterruptibleIterator<>(context, result);
    }

    /** Merges the metrics at the end. */
    private final class Counted extends CompletionIterator<Tuple2<Object, Object>, Iterator<Tuple2<Object, Object>>> {
        Counted(Iterator<Tuple2<Object, Object>> records) {
            super(records);
        }

        @Override
        public void completion() {
            context.taskMetrics().mergeShuffleReadMetrics();
        }
    }

    @SuppressWarnings("unchecked") // The types of the records are those of the dependency, as Spark assumes too.
    private Iterator<Product2<K, C>> combined(Iterator<Tuple2<Object, Object>> input) {
        Iterator<?> records = input;
        Option<Aggregator<K, Object, C>> aggregator =
                (Option<Aggregator<K, Object, C>>) (Option<?>) dependency.aggregator();
        if (dependency.keyOrdering().isDefined()) {
            if (aggregator.isDefined() && !dependency.mapSideCombine()) {
                return sorted(aggregator, (Iterator<Product2<K, Object>>) records);
            }
            Option<Aggregator<K, C, C>> ofCombined = aggregator.isEmpty()
                    ? Option.empty()
                    : Option.apply(new Aggregator<>(
                            combiner -> combiner,
                            aggregator.get().mergeCombiners(),
                            aggregator.get().mergeCombiners()));
            return sorted(ofCombined, (Iterator<Product2<K, C>>) records);
        }
        if (aggregator.isEmpty()) {
            return (Iterator<Product2<K, C>>) records;
        }
        Iterator<?> combined = dependency.mapSideCombine()
                ? aggregator.get().combineCombinersByKey((Iterator<Product2<K, C>>) records, context)
                : aggregator.get().combineValuesByKey((Iterator<Product2<K, Object>>) records, context);
        return (Iterator<Product2<K, C>>) combined;
    }

    private <V> Iterator<Product2<K, C>> sorted(
            Option<Aggregator<K, V, C>> aggregator, Iterator<Product2<K, V>> records) {
        ExternalSorter<K, V, C> sorter = new ExternalSorter<>(
                context, aggregator, Option.empty(), dependency.keyOrdering(), dependency.serializer(), NO_CHECKSUMS);
        return sorter.insertAllAndUpdateMetrics(records);
    }

    private ShuffleBlockFetcherIterator fetcher() {
        SparkConf conf = env.conf();
        Function2<BlockId, InputStream, InputStream> wrap =
                (block, stream) -> env.serializerManager().wrapStream(block, stream);
        boolean batches = canFetchBatches(conf);
        LargeBlocks large = new LargeBlocks(node.maxBlockSize(), batches);
        large.addAll(blocksByAddress);
        return new ShuffleBlockFetcherIterator(
                context,
                new IwarpBlockStoreClient(node, env.blockManager().blockStoreClient(), large::contains),
                env.blockManager(),
                env.mapOutputTracker(),
                blocksByAddress.iterator(),
                wrap,
                (long) conf.get(package$.MODULE$.REDUCER_MAX_SIZE_IN_FLIGHT()) * MEBIBYTE,
                (int) conf.get(package$.MODULE$.REDUCER_MAX_REQS_IN_FLIGHT()),
                (int) conf.get(package$.MODULE$.REDUCER_MAX_BLOCKS_IN_FLIGHT_PER_ADDRESS()),
                (long) conf.get(package$.MODULE$.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM()),
                (int) conf.get(package$.MODULE$.SHUFFLE_MAX_ATTEMPTS_ON_NETTY_OOM()),
                (boolean) conf.get(package$.MODULE$.SHUFFLE_DETECT_CORRUPT()),
                (boolean) conf.get(package$.MODULE$.SHUFFLE_DETECT_CORRUPT_MEMORY()),
                (boolean) conf.get(package$.MODULE$.SHUFFLE_CHECKSUM_ENABLED()),
                conf.get(package$.MODULE$.SHUFFLE_CHECKSUM_ALGORITHM()),
                readMetrics,
                batches,
                new SystemClock());
    }

    private boolean canFetchBatches(SparkConf conf) {
        return batchFetch
                && dependency.serializer().supportsRelocationOfSerializedObjects()
                && (!(boolean) conf.get(package$.MODULE$.SHUFFLE_COMPRESS()) || codecConcatenates(conf))
                && !(boolean) conf.get(package$.MODULE$.SHUFFLE_USE_OLD_FETCH_PROTOCOL())
                && !(boolean) conf.get(package$.MODULE$.IO_ENCRYPTION_ENABLED());
    }

    private static boolean codecConcatenates(SparkConf conf) {
        CompressionCodec codec = CompressionCodec$.MODULE$.createCodec(conf);
        return CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(codec);
    }
}
