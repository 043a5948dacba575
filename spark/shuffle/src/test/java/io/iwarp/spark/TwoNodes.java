package io.iwarp.spark;

import com.codahale.metrics.MetricRegistry;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Two executors in one JVM, without Spark: one publishes map outputs, one fetches them. */
final class TwoNodes implements AutoCloseable {
    static final String SERVER = "1";
    static final String CLIENT = "2";
    static final String SECRET = Handshake.newSecret();

    private final Path folder;
    private final ShuffleSettings settings;
    final MetricRegistry serverMetrics = new MetricRegistry();
    final MetricRegistry clientMetrics = new MetricRegistry();
    final Map<String, PeerAddress> addresses = new ConcurrentHashMap<>();
    final AtomicInteger asked = new AtomicInteger();
    final FakeSpark spark = new FakeSpark();
    private final ScarceAllocator memoryOfServer = new ScarceAllocator(ByteBufAllocator.DEFAULT);
    final ShuffleNode server;
    final ShuffleNode client;

    TwoNodes(Path folder) throws IOException {
        this(folder, settings(), ByteBufAllocator.DEFAULT);
    }

    TwoNodes(Path folder, SparkConf conf, ByteBufAllocator ofClient) throws IOException {
        this(folder, conf, null, null, ofClient);
    }

    /** Executors with these certificates, of which each knows the fingerprint of the other. */
    TwoNodes(Path folder, SparkConf conf, Tls ofServer, Tls ofClient) throws IOException {
        this(folder, conf, ofServer, ofClient, ByteBufAllocator.DEFAULT);
        addresses.put(CLIENT, new PeerAddress("nowhere", 0, ofClient.fingerprint()));
    }

    private TwoNodes(
            Path folder,
            SparkConf conf,
            @Nullable Tls ofServer,
            @Nullable Tls ofClient,
            ByteBufAllocator memoryOfClient)
            throws IOException {
        this.folder = folder;
        settings = ShuffleSettings.from(conf);
        server = new ShuffleNode(
                settings, handshake(SECRET, SERVER), ofServer, this::find, serverMetrics, memoryOfServer);
        addresses.put(SERVER, server.listen(conf.get("test.host", "127.0.0.1")));
        client = new ShuffleNode(
                settings, handshake(SECRET, CLIENT), ofClient, this::find, clientMetrics, memoryOfClient);
    }

    static SparkConf settings() {
        return new SparkConf(false)
                .set("spark.shuffle.iwarp.transport", "nio")
                .set("spark.shuffle.iwarp.threads", "1")
                .set("spark.shuffle.iwarp.directorySlots", "64")
                .set("spark.shuffle.iwarp.maxBlockSize", "1000");
    }

    static Handshake handshake(String secret, String executor) {
        return new Handshake(secret, executor, System::nanoTime);
    }

    /** Returns an executor of another application. */
    ShuffleNode stranger() {
        return executor(Handshake.newSecret(), "3", null);
    }

    ShuffleNode executor(String secret, String id, @Nullable Tls tls) {
        return new ShuffleNode(
                settings, handshake(secret, id), tls, this::find, new MetricRegistry(), ByteBufAllocator.DEFAULT);
    }

    private PeerAddress find(String executor) throws UnknownHostException {
        asked.incrementAndGet();
        PeerAddress address = addresses.get(executor);
        if (address == null) {
            throw new UnknownHostException("unknown executor " + executor);
        }
        return address;
    }

    /** Publishes a map output with blocks of these lengths. */
    void publish(int shuffle, long map, int... lengths) {
        Blocks.MapFiles files = Blocks.write(folder, shuffle, map, lengths);
        server.begin(new MapKey(shuffle, map)).publish(files.data(), files.index());
    }

    /** Overwrites bytes of the slot of a map output that is alone in the directory, as a fault of the memory would. */
    void corruptSlot(MapKey key) {
        memoryOfServer.first.setInt(key.firstSlot(settings.directorySlots()) * MapSlot.LENGTH + 16, 0x01020304);
    }

    /** Fetches, and waits until each block has arrived or failed. */
    RecordingListener fetch(String... blocks) {
        return fetch(client, blocks);
    }

    RecordingListener fetch(ShuffleNode by, String... blocks) {
        return fetch(by, new RecordingListener(), blocks);
    }

    RecordingListener fetch(RecordingListener listener, String... blocks) {
        return fetch(client, listener, blocks);
    }

    private RecordingListener fetch(ShuffleNode by, RecordingListener listener, String... blocks) {
        new IwarpBlockStoreClient(by, spark, range -> false).fetchBlocks("host", 7, SERVER, blocks, listener, null);
        return listener.await(blocks.length);
    }

    /** Waits until the server has released all but {@code left} map outputs. */
    void awaitRelease(int left) {
        Awaitility.await().until(() -> server.openFiles() == left);
    }

    /** Waits until the client has released all memory of blocks. It does so after it reported the last block. */
    void awaitReleaseOfSinks() {
        Awaitility.await()
                .until(() -> clientMetrics.getGauges().get("sinkBytesInUse").getValue(), left -> left.equals(0L));
    }

    long count(String metric) {
        return clientMetrics.counter(metric).getCount();
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
