package io.iwarp.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The shuffle of one executor: publishes its map outputs, listens for peers, and reads from them.
 *
 * <p>Any thread may call any method. No method blocks, except {@link #listen} and {@link #close}.
 */
final class ShuffleNode implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(ShuffleNode.class);
    private static final long INDEXES_ON_HEAP = 64L << 20;
    /** The driver, as a peer of the {@link Workers}. */
    private static final String DRIVER = "driver";
    /** The maximum of rejections that are logged. All are counted. */
    private static final int MAX_LOGGED_REJECTIONS = 1000;

    private final ShuffleSettings settings;
    private final Handshake handshake;
    private final Addresses addresses;
    private final Workers workers;
    private final ShuffleMetrics metrics;
    private final @Nullable Tls tls;
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final Network network;
    private final SinkPool sinks;
    private final Directory directory;
    private final OutputRegions regions;
    private final PublishedOutputs published;
    private final MapOutputCache cache = new MapOutputCache(INDEXES_ON_HEAP);
    private final Map<String, RemoteExecutor> peers = new ConcurrentHashMap<>();
    /** The rejections that were logged. */
    private final Set<String> loggedRejections = ConcurrentHashMap.newKeySet();

    /** Finds executors. May block. */
    interface Addresses {
        PeerAddress of(String executor) throws Exception;
    }

    /**
     * @param handshake has the secret of the application; peers without it are rejected
     * @param tls null for connections without TLS
     * @param allocator gives direct memory for the directory and for what is read
     */
    ShuffleNode(
            ShuffleSettings settings,
            Handshake handshake,
            @Nullable Tls tls,
            Addresses addresses,
            MetricRegistry registry,
            ByteBufAllocator allocator) {
        this.settings = settings;
        this.handshake = handshake;
        this.addresses = addresses;
        this.workers = new Workers();
        this.metrics = new ShuffleMetrics(registry);
        this.tls = tls;
        this.sinks = new SinkPool(domain, allocator);
        this.regions = new OutputRegions(domain, allocator);
        this.directory = new Directory(domain, allocator, settings.directorySlots());
        Network made = null;
        try {
            made = new Network(settings, domain, tls);
            this.network = made;
            this.published = new PublishedOutputs(regions, directory, metrics, settings.releaseDelay(), network::later);
            gauge(registry, "directorySlotsUsed", directory::used);
            gauge(registry, "sinkBytesInUse", sinks::bytesInUse);
            gauge(registry, "sinkBytes", sinks::slabBytes);
            gauge(registry, "registeredBytes", domain::registeredBytes);
            gauge(registry, "openFiles", regions::files);
        } catch (RuntimeException | Error e) {
            directory.close();
            if (made != null) {
                made.terminate();
            }
            throw e;
        }
    }

    private static void gauge(MetricRegistry registry, String name, Gauge<? extends Number> value) {
        registry.register(name, value);
    }

    /**
     * Listens for peers.
     *
     * @return where peers find this executor
     * @throws IOException if the address cannot be bound
     */
    PeerAddress listen(String host) throws IOException {
        String bind = settings.bindAddress().isEmpty() ? host : settings.bindAddress();
        int bound = network.listen(bind, this::decide, this::countRejection);
        return new PeerAddress(
                host,
                settings.advertisedPort() == 0 ? bound : settings.advertisedPort(),
                tls == null ? "" : tls.fingerprint());
    }

    private void decide(ConnectionRequest request) {
        Handshake.Verdict verdict = handshake.judge(request.privateData(), directory.advertised(), directory.slots());
        String initiator = verdict.initiator();
        if (initiator == null) {
            reject(request, verdict.objection(), verdict.reply());
        } else if (tls == null) {
            request.accept(verdict.reply());
        } else {
            workers.run(
                    DRIVER,
                    () -> acceptIfCertified(request, initiator, verdict.reply()),
                    failure -> reject(
                            request, "executor " + initiator + " is not known: " + failure, Handshake.rejection()));
        }
    }

    private void acceptIfCertified(ConnectionRequest request, String initiator, byte[] reply) throws Exception {
        if (Tls.isPeer(request.tlsSession(), addresses.of(initiator).fingerprint())) {
            request.accept(reply);
        } else {
            reject(request, "its certificate is not that of executor " + initiator, Handshake.rejection());
        }
    }

    /** @param objection why the request is rejected; null if it only asks for a challenge */
    private void reject(ConnectionRequest request, @Nullable String objection, byte[] reply) {
        if (objection != null) {
            countRejection(request.remoteAddress(), objection);
        }
        request.reject(reply);
    }

    private void countRejection(@Nullable SocketAddress peer, String objection) {
        metrics.rejectedConnections.inc();
        LOGGER.atLevel(isNew(peer, objection) ? Level.WARN : Level.DEBUG)
                .log("Rejected a connection of {}: {}", peer, objection);
    }

    /**
     * Returns whether this rejection of a host is the first one. A peer that repeats a request must not fill the log.
     */
    private boolean isNew(@Nullable SocketAddress peer, String objection) {
        Object host = peer instanceof InetSocketAddress inet ? inet.getAddress() : peer;
        return loggedRejections.size() < MAX_LOGGED_REJECTIONS && loggedRejections.add(host + ": " + objection);
    }

    /** Begins a map output of this executor, which is published when it is complete. */
    PublishedOutputs.PendingOutput begin(MapKey key) {
        return published.begin(key);
    }

    /** Unpublishes the map outputs of a shuffle, and forgets those of others. */
    void unregister(int shuffleId) {
        published.unregister(shuffleId);
        cache.forgetShuffle(shuffleId);
    }

    long maxBlockSize() {
        return settings.maxBlockSize();
    }

    /** Returns the number of files that are open for peers. */
    int openFiles() {
        return regions.files();
    }

    ShuffleMetrics metrics() {
        return metrics;
    }

    /**
     * Fetches blocks of an executor.
     *
     * @param isLarge whether blocks use Spark's own transport without a lookup, as blocks of other kinds do
     */
    void fetch(
            String host,
            int port,
            String fromExecutor,
            String[] blocks,
            Predicate<BlockRange> isLarge,
            BlockFetchingListener listener,
            BlockStoreClient spark) {
        List<BlockRange> ranges = new ArrayList<>(blocks.length);
        List<String> others = new ArrayList<>();
        for (String block : blocks) {
            BlockRange range = BlockRange.parse(block);
            if (range == null) {
                others.add(block);
            } else if (isLarge.test(range)) {
                metrics.largeBlocks.inc();
                others.add(block);
            } else {
                ranges.add(range);
            }
        }
        if (!others.isEmpty()) {
            spark.fetchBlocks(host, port, fromExecutor, others.toArray(new String[0]), listener, null);
        }
        if (!ranges.isEmpty()) {
            RemoteExecutor source = peers.computeIfAbsent(fromExecutor, RemoteExecutor::new);
            SparkTransport fallback = new SparkTransport(spark, host, port, fromExecutor);
            new Fetch(source, fallback, listener, metrics, settings.maxBlockSize()).start(ranges);
        }
    }

    /** Spark's own transport, on threads that may block. */
    private final class SparkTransport implements Fetch.Spark {
        private final BlockStoreClient spark;
        private final String host;
        private final int port;
        private final String from;

        SparkTransport(BlockStoreClient spark, String host, int port, String from) {
            this.spark = spark;
            this.host = host;
            this.port = port;
            this.from = from;
        }

        @Override
        public boolean takesFailed() {
            return settings.fallback();
        }

        @Override
        public void fetch(String[] blocks, BlockFetchingListener listener) {
            workers.run(from, () -> spark.fetchBlocks(host, port, from, blocks, listener, null), failure -> {
                for (String block : blocks) {
                    listener.onBlockFetchFailure(block, failure);
                }
            });
        }
    }

    /** Another executor, as the source of blocks. */
    private final class RemoteExecutor implements Fetch.Source {
        private final String id;
        private final Peer peer;
        /** The failure that was logged last, since the last connection. */
        private final AtomicReference<String> reported = new AtomicReference<>("");

        RemoteExecutor(String id) {
            this.id = id;
            this.peer = new Peer(this::connect, settings.connectionsPerPeer(), System::nanoTime);
        }

        private CompletableFuture<Session> connect() {
            CompletableFuture<PeerAddress> address = new CompletableFuture<>();
            workers.run(DRIVER, () -> address.complete(addresses.of(id)), address::completeExceptionally);
            Handshake.Initiation initiation = handshake.initiate(id);
            return address.thenCompose(known -> network.connect(known, initiation.hello())
                            .handle(RemoteExecutor::challenge)
                            .thenCompose(challenge -> network.connect(known, initiation.proof(challenge))))
                    .thenApply(queuePair -> session(queuePair, initiation))
                    .whenComplete((session, failure) -> {
                        if (failure == null) {
                            metrics.connections.inc();
                            reported.set("");
                        } else {
                            metrics.failedConnections.inc();
                            Throwable cause = Fetch.unwrapped(failure);
                            LOGGER.atLevel(isNew(cause) ? Level.WARN : Level.DEBUG)
                                    .log("Could not connect to executor {}: {}", id, cause.toString());
                        }
                    });
        }

        @Override
        public boolean isNew(Throwable failure) {
            String text = failure.toString();
            return !text.equals(reported.getAndSet(text));
        }

        @Override
        public String toString() {
            return "executor " + id;
        }

        /** Returns the private data with which the first request was rejected. */
        private static byte[] challenge(@Nullable QueuePair accepted, @Nullable Throwable failure) {
            if (accepted != null) {
                accepted.abort();
                throw new IllegalArgumentException("the peer accepts a request without a proof, so it is no executor"
                        + " with this version of the iWARP shuffle");
            }
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof ConnectionRejectedException rejected) {
                return rejected.privateData();
            }
            throw new CompletionException(cause);
        }

        private Session session(QueuePair queuePair, Handshake.Initiation initiation) {
            try {
                byte[] acceptance =
                        Objects.requireNonNull(queuePair.parameters()).peerPrivateData();
                Session session = Session.of(queuePair, initiation.directory(acceptance), settings.outstandingReads());
                queuePair.closed().thenAccept(reason -> {
                    if (Session.isFailure(reason)) {
                        metrics.brokenConnections.inc();
                        LOGGER.warn("The connection to executor {} broke: {}", id, reason);
                    }
                });
                return session;
            } catch (IllegalArgumentException unproven) {
                queuePair.abort();
                throw unproven;
            }
        }

        @Override
        public CompletableFuture<MapOutput> output(MapKey key) {
            return cache.get(id, key, this::lookUp);
        }

        private CompletableFuture<MapOutput> lookUp(MapKey key) {
            metrics.lookups.inc();
            return peer.session().thenCompose(session -> Lookup.of(key, session, sinks));
        }

        @Override
        public void forget(MapKey key, CompletableFuture<MapOutput> wrong) {
            cache.forget(id, key, wrong);
        }

        @Override
        public CompletableFuture<Session> session() {
            return peer.session();
        }

        @Override
        public SinkPool sinks() {
            return sinks;
        }
    }

    @Override
    public void close() {
        network.close();
        workers.close();
        published.close();
        directory.close();
        sinks.close();
        network.terminate();
    }
}
