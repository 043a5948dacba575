package io.iwarp.spark;

import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.netty.NettyBlockTransferService;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/**
 * One executor fetches blocks of another, and nothing else: by Reads, by Spark's own transport over NIO and epoll, and
 * by Spark's transport over slices of mapped files, which is the control. All fetch the same files. Blocks above
 * MAX_BLOCK_SIZE use Spark's transport over epoll, as they do without a benchmark; these have no control.
 *
 * <pre>FetchBenchmark ROUNDS MILLISECONDS MAX_BLOCK_SIZE SIZE...</pre>
 *
 * <p>Prints a line for each round: the size, the way, microseconds of processor time of both executors for each block,
 * and blocks per second.
 */
final class FetchBenchmark {
    private static final int SHUFFLE = 1_000;
    private static final int FILE_LENGTH = 64 << 20;
    private static final int MAX_BLOCKS = 8_192;
    private static final int REQUEST_BLOCKS = 256;
    private static final int REQUEST_BYTES = 4 << 20;
    private static final int REQUESTS_IN_FLIGHT = 4;

    /** Rounds that are not counted: most compilation happens with the first size. */
    private static final int FIRST_WARM_UP = 3;

    private static final String IWARP = "iwarp";
    private static final String EPOLL = "epoll";
    private static final List<String> WAYS = List.of(IWARP, "nio", EPOLL, "mapped");
    private static final List<String> WAYS_OF_LARGE = List.of(IWARP, "nio", EPOLL);

    private FetchBenchmark() {}

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        int millis = Integer.parseInt(args[1]);
        List<Integer> sizes = new ArrayList<>();
        int maxBlockSize = Integer.parseInt(args[2]);
        for (int i = 3; i < args.length; i++) {
            sizes.add(Integer.valueOf(args[i]));
        }
        SparkConf conf = new SparkConf().setMaster("local-cluster[2,1,1024]").setAppName("fetch");
        Iwarp.configure(conf);
        conf.set("spark.shuffle.iwarp.maxBlockSize", maxBlockSize + "b");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            spark.setLogLevel("ERROR");
            Object lines = spark.sc()
                    .parallelize(
                            CollectionConverters.asScala(List.<Object>of(0, 1)).toSeq(), 2, ClassTag$.MODULE$.Object())
                    .barrier()
                    .mapPartitionsWithIndex(
                            new Executors(rounds, millis, maxBlockSize, sizes), false, ClassTag$.MODULE$.Object())
                    .collect();
            for (Object line : (Object[]) lines) {
                System.out.println(line);
            }
        }
    }

    /** The two executors: the first serves, the second fetches and reports. */
    private static final class Executors extends AbstractFunction2<Object, Iterator<Object>, Iterator<Object>>
            implements java.io.Serializable {
        private final int rounds;
        private final int millis;
        private final int maxBlockSize;
        private final List<Integer> sizes;

        Executors(int rounds, int millis, int maxBlockSize, List<Integer> sizes) {
            this.rounds = rounds;
            this.millis = millis;
            this.maxBlockSize = maxBlockSize;
            this.sizes = List.copyOf(sizes);
        }

        @Override
        public Iterator<Object> apply(Object partition, Iterator<Object> nothing) {
            boolean serves = (int) partition == 0;
            List<Object> lines = new ArrayList<>();
            int warmUp = FIRST_WARM_UP;
            BarrierTaskContext barrier = BarrierTaskContext.get();
            Map<String, NettyBlockTransferService> services = services();
            for (int size : sizes) {
                MapKey key = new MapKey(SHUFFLE + size, 0);
                int blocks = Math.min(MAX_BLOCKS, FILE_LENGTH / size);
                if (serves) {
                    write(key, size, blocks);
                }
                // A barrier of Spark takes up to a second, so each measurement has one.
                String[] server = meet(barrier, services);
                for (int round = -warmUp; round < rounds; round++) {
                    for (String way : size > maxBlockSize ? WAYS_OF_LARGE : WAYS) {
                        long clientTime = ProcessorTime.now();
                        long[] fetched = serves
                                ? new long[2]
                                : new Requests(way, services, server, key, size, blocks).run(millis);
                        clientTime = ProcessorTime.now() - clientTime;
                        String[] after = meet(barrier, services);
                        long serverTime = Long.parseLong(after[1]) - Long.parseLong(server[1]);
                        server = after;
                        if (!serves && round >= 0) {
                            double perBlock = (clientTime + serverTime) / 1e3 / fetched[0];
                            double perSecond = fetched[0] * 1e9 / fetched[1];
                            lines.add(String.format(Locale.ROOT, "%d %s %.2f %.0f", size, way, perBlock, perSecond));
                        }
                    }
                }
                warmUp = 1;
            }
            services.values().forEach(NettyBlockTransferService::close);
            return CollectionConverters.asScala(lines.iterator());
        }

        /** Waits for the other executor, and returns the message of the server: id, processor time, ports. */
        private static String[] meet(BarrierTaskContext barrier, Map<String, NettyBlockTransferService> services) {
            StringBuilder mine =
                    new StringBuilder(SparkEnv.get().executorId()).append(' ').append(ProcessorTime.now());
            services.values().forEach(service -> mine.append(' ').append(service.port()));
            return barrier.allGather(mine.toString())[0].split(" ");
        }
    }

    /** Fetches for some time, with a few requests at a time, as reducers do. */
    private static final class Requests implements BlockFetchingListener {
        private final String way;
        private final BlockStoreClient client;
        /** The number of the service among those of the server. */
        private final int service;

        private final String[] server;
        private final List<String[]> requests = new ArrayList<>();
        private final Semaphore room = new Semaphore(REQUESTS_IN_FLIGHT * REQUEST_BLOCKS);
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private final int size;

        Requests(
                String way,
                Map<String, NettyBlockTransferService> services,
                String[] server,
                MapKey key,
                int size,
                int blocks) {
            this.way = way;
            this.server = server;
            this.size = size;
            String sparks = way.equals(IWARP) ? EPOLL : way;
            ShuffleNode node = CurrentNode.get();
            NettyBlockTransferService spark = services.get(sparks);
            service = List.copyOf(services.keySet()).indexOf(sparks);
            if (way.equals(IWARP) && node != null && spark != null) {
                client = new IwarpBlockStoreClient(
                        node, spark, range -> range.end() - range.start() == 1 && size > node.maxBlockSize());
            } else if (spark != null && !way.equals(IWARP)) {
                client = spark;
            } else {
                throw new IllegalStateException("no client for " + way);
            }
            int length = Math.max(1, Math.min(REQUEST_BLOCKS, REQUEST_BYTES / size));
            for (int start = 0; start < blocks; start += length) {
                List<String> ids = new ArrayList<>();
                for (int reduce = start; reduce < Math.min(blocks, start + length); reduce++) {
                    ids.add("shuffle_" + key.shuffleId() + "_" + key.mapId() + "_" + reduce);
                }
                requests.add(ids.toArray(new String[0]));
            }
        }

        /** Returns the number of blocks, and nanoseconds. */
        long[] run(int millis) {
            int port = Integer.parseInt(server[2 + service]);
            int cost = REQUEST_BLOCKS;
            long start = System.nanoTime();
            long blocks = 0;
            for (int next = 0; System.nanoTime() - start < millis * 1_000_000L; next++) {
                String[] ids = requests.get(next % requests.size());
                room.acquireUninterruptibly(ids.length < cost ? cost : ids.length);
                if (ids.length < cost) {
                    room.release(cost - ids.length);
                }
                client.fetchBlocks("127.0.0.1", port, server[0], ids, this, null);
                blocks += ids.length;
            }
            room.acquireUninterruptibly(REQUESTS_IN_FLIGHT * REQUEST_BLOCKS);
            long nanos = System.nanoTime() - start;
            Throwable wrong = failure.get();
            if (wrong != null) {
                throw new IllegalStateException("a block was not fetched by " + way, wrong);
            }
            return new long[] {blocks, nanos};
        }

        @Override
        public void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
            if (data.size() != size) {
                failure.set(new IllegalStateException(blockId + " has " + data.size() + " bytes"));
            }
            room.release();
        }

        @Override
        public void onBlockFetchFailure(String blockId, Throwable exception) {
            failure.set(exception);
            room.release();
        }
    }

    private static void write(MapKey key, int size, int blocks) {
        IndexShuffleBlockResolver files =
                ((IwarpShuffleManager) SparkEnv.get().shuffleManager()).shuffleBlockResolver();
        File data = files.getDataFile(key.shuffleId(), key.mapId());
        File index = files.getIndexFile(key.shuffleId(), key.mapId(), Option.empty());
        byte[] block = new byte[size];
        try (OutputStream out = Files.newOutputStream(data.toPath());
                DataOutputStream offsets =
                        new DataOutputStream(new java.io.BufferedOutputStream(Files.newOutputStream(index.toPath())))) {
            offsets.writeLong(0);
            for (int i = 1; i <= blocks; i++) {
                out.write(block);
                offsets.writeLong((long) i * size);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ShuffleNode node = CurrentNode.get();
        if (node != null) {
            node.begin(key).publish(data, index);
        }
    }

    private static Map<String, NettyBlockTransferService> services() {
        Map<String, NettyBlockTransferService> services = new TreeMap<>();
        services.put("nio", service("NIO", false));
        services.put(EPOLL, service("EPOLL", false));
        services.put("mapped", service("EPOLL", true));
        return services;
    }

    private static NettyBlockTransferService service(String mode, boolean mapped) {
        SparkEnv env = SparkEnv.get();
        NettyBlockTransferService service = new NettyBlockTransferService(
                env.conf().clone().set("spark.shuffle.io.mode", mode),
                env.securityManager(),
                env.serializerManager(),
                "127.0.0.1",
                "127.0.0.1",
                0,
                1,
                null);
        service.init(mapped ? new MappedBlocks(env) : env.blockManager());
        return service;
    }
}
