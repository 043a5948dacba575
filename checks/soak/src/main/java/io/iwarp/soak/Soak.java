package io.iwarp.soak;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Mixed load over several transports for a long time, with connections that are closed, aborted and killed at random by
 * either side. Fails if a post, a byte or a message is lost, if a server stops serving, or if anything is left at the
 * end.
 */
public final class Soak {
    private static final long WARM_UP_SECONDS = 10;
    private static final long MAX_WARM_UP_SECONDS = 300;
    /** On a busy machine the first connections of a transport take long. */
    private static final long WARM_UP_CONNECTIONS_OF_A_SERVER = 30;

    private static final long TIMEOUT_SECONDS = 60;
    private static final int MAX_FAILURES_PRINTED = 20;
    /** Direct memory that may be left at the end. */
    private static final long LEFT_DIRECT = 0;

    private static final long LEFT_HEAP = 16L << 20;

    /** Of live objects, beside hostile clients. */
    private static final long MAX_HEAP = 96L << 20;

    private static final int TLS_SESSIONS = 100;
    /** Regions, and the buffers of the event loops of a server and of its clients. */
    private static final long OTHER_DIRECT_OF_A_SERVER = 12L << 20;

    private static final long MILLIS_BETWEEN_SAMPLES = 500;

    private static final long MILLIS_BETWEEN_SAMPLES_OF_LOST_TIME = 50;

    private final SoakOptions options;
    private final boolean warmUp;
    private final Random seeds;
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong posts = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final ConcurrentMap<String, LongAdder> ends = new ConcurrentSkipListMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicLong controls = new AtomicLong();
    private final AtomicLong mostHeap = new AtomicLong();
    private final AtomicLong mostDirect = new AtomicLong();
    /** Of a request, without and with the time that its event loops have lost. */
    private final AtomicLong slowestNanos = new AtomicLong();

    private final AtomicLong slowestNanosInAll = new AtomicLong();

    /** Contexts of both sides. */
    record Tls(SslContext server, SslContext client) {}

    private Soak(SoakOptions options, boolean warmUp) {
        this.warmUp = warmUp;
        this.options = options;
        this.seeds = new Random(options.seed());
    }

    /**
     * Runs the load.
     *
     * @param args as {@link SoakOptions#parse} takes them
     */
    public static void main(String[] args) throws Exception {
        SoakOptions options;
        try {
            options = SoakOptions.parse(args);
        } catch (IllegalArgumentException e) {
            System.err.println("soak: " + e.getMessage());
            System.exit(2);
            return;
        }
        System.out.println("seed " + options.seed());
        // Classes, compiled code and buffers of event loops belong to no connection.
        Soak warmUp = new Soak(options, true);
        warmUp.run(TimeUnit.SECONDS.toNanos(WARM_UP_SECONDS));
        Usage before = Usage.now();
        Soak soak = new Soak(options, false);
        soak.run(TimeUnit.MINUTES.toNanos(options.minutes()));
        Usage after = Usage.now();
        System.out.printf(
                Locale.ROOT,
                "left in all: %,d bytes of heap, %,d direct%n",
                after.heap() - before.heap(),
                after.direct() - before.direct());
        if (after.direct() - before.direct() > LEFT_DIRECT || after.heap() - before.heap() > LEFT_HEAP) {
            soak.fail("memory is left");
        }
        if (soak.connections.get() < options.connections()) {
            soak.fail("only " + soak.connections + " connections ended in the time");
        }
        System.exit(warmUp.failures.get() + soak.failures.get() == 0 ? 0 : 1);
    }

    private void run(long nanos) throws Exception {
        long start = System.nanoTime();
        List<SoakServer> servers = servers();
        List<Future<?>> running = new ArrayList<>();
        for (SoakServer server : servers) {
            for (int i = 0; i < options.clients(); i++) {
                Random random = newRandom();
                running.add(threads.submit(() -> load(server, random, start, nanos)));
            }
            running.add(threads.submit(() -> control(server, start, nanos)));
            for (int i = 0; i < options.hostile() && server.transport().isPlainTcp(); i++) {
                HostileClient client = new HostileClient(server, newRandom());
                running.add(threads.submit(() -> {
                    while (unfinished(start, nanos)) {
                        client.attack();
                    }
                }));
            }
        }
        running.add(threads.submit(() -> {
            while (unfinished(start, nanos)) {
                servers.forEach(server -> server.lostTime().sample());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(MILLIS_BETWEEN_SAMPLES_OF_LOST_TIME));
            }
        }));
        if (options.hostile() > 0) {
            running.add(threads.submit(() -> watchMemory(servers.size(), start, nanos)));
        }
        for (Future<?> each : running) {
            each.get();
        }
        threads.shutdown();
        for (SoakServer server : servers) {
            server.end();
        }
        System.out.printf(
                Locale.ROOT,
                "%,d s over %s: %,d connections ended, by %s; %,d posts completed once and in order, %,d"
                        + " were refused after an end;"
                        + " control clients were served %,d times; the slowest request took %,d ms, and %,d ms"
                        + " without processor; %,d failures%n",
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                servers.stream().map(server -> server.transport().toString()).collect(Collectors.joining(", ")),
                connections.get(),
                ends,
                posts.get(),
                refused.get(),
                controls.get(),
                TimeUnit.NANOSECONDS.toMillis(slowestNanos.get()),
                TimeUnit.NANOSECONDS.toMillis(slowestNanosInAll.get()),
                failures.get());
    }

    /** Whatever hostile clients do, the servers hold what their limits allow. */
    private void watchMemory(int servers, long start, long nanos) {
        int streams = options.hostile() * HostileClient.STREAMS + options.clients() + 1;
        long maxDirect = servers * (SoakServer.maxDeviceBytes(streams) + OTHER_DIRECT_OF_A_SERVER);
        while (unfinished(start, nanos)) {
            Usage now = Usage.sample();
            if (now.heap() > MAX_HEAP) {
                // Collections of young objects leave old ones that nothing refers to.
                now = Usage.now();
            }
            mostHeap.accumulateAndGet(now.heap(), Math::max);
            mostDirect.accumulateAndGet(now.direct(), Math::max);
            if (now.heap() > MAX_HEAP || now.direct() > maxDirect) {
                fail(String.format(
                        Locale.ROOT,
                        "%,d bytes of heap and %,d direct are in use, the limits are %,d and %,d",
                        now.heap(),
                        now.direct(),
                        MAX_HEAP,
                        maxDirect));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(MILLIS_BETWEEN_SAMPLES));
        }
        System.out.printf(
                Locale.ROOT,
                "beside %d hostile clients: at most %,d bytes of heap and %,d direct%n",
                options.hostile(),
                mostHeap.get(),
                mostDirect.get());
    }

    /** Returns whether to go on. */
    private boolean unfinished(long start, long nanos) {
        long elapsed = System.nanoTime() - start;
        if (warmUp
                && connections.get()
                        < WARM_UP_CONNECTIONS_OF_A_SERVER * options.transports().size()) {
            return elapsed < TimeUnit.SECONDS.toNanos(MAX_WARM_UP_SECONDS);
        }
        return elapsed < nanos && (options.connections() == 0 || connections.get() < options.connections());
    }

    private List<SoakServer> servers() throws Exception {
        List<SoakServer> servers = new ArrayList<>();
        for (SoakTransport transport : options.transports()) {
            servers.add(new SoakServer(this, transport, transport == SoakTransport.TLS ? tls() : null));
        }
        return servers;
    }

    private static Tls tls() throws Exception {
        X509Bundle server = new CertificateBuilder()
                .algorithm(CertificateBuilder.Algorithm.ecp256)
                .subject("CN=localhost")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        return new Tls(
                // The JDK keeps 20,480 sessions by default, some 20 MB of heap.
                SslContextBuilder.forServer(server.getKeyPair().getPrivate(), server.getCertificatePath())
                        .sessionCacheSize(TLS_SESSIONS)
                        .build(),
                SslContextBuilder.forClient()
                        .sessionCacheSize(TLS_SESSIONS)
                        .trustManager(server.getCertificate())
                        .endpointIdentificationAlgorithm(null)
                        .build());
    }

    private void load(SoakServer server, Random random, long start, long nanos) {
        while (unfinished(start, nanos)) {
            try {
                posts.addAndGet(new Client(this, server, random).run());
                connections.incrementAndGet();
            } catch (Exception failure) {
                fail(server.transport() + ": a client failed: " + failure);
            }
        }
    }

    /** Once a second, a client writes and reads a few bytes. */
    private void control(SoakServer server, long start, long nanos) {
        while (unfinished(start, nanos)) {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            try {
                boolean served = writtenAndRead(server);
                while (!served) {
                    served = writtenAndRead(server);
                }
            } catch (Exception failure) {
                fail(server.transport() + ": the control client was not served: " + failure);
            }
            controls.incrementAndGet();
        }
    }

    /** Returns false if the server ended this client in the middle, as it does at random. */
    private boolean writtenAndRead(SoakServer server) throws Exception {
        QueuePair queuePair = server.connect();
        RemoteBuffer memory = RemoteBuffer.decode(Unpooled.wrappedBuffer(
                Objects.requireNonNull(queuePair.parameters()).peerPrivateData()));
        ByteBuf source = Unpooled.directBuffer(Long.BYTES, Long.BYTES).writeLong(System.nanoTime());
        ByteBuf sink = Unpooled.directBuffer(Long.BYTES, Long.BYTES);
        try {
            long posted = System.nanoTime();
            var written = queuePair.write(source, memory);
            var read = queuePair.read(sink, memory.slice(0, Long.BYTES));
            read.thenRun(() -> served(server, posted));
            queuePair.close();
            queuePair.closed().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (!written.isDone() || !read.isDone()) {
                throw new IllegalStateException("something is incomplete after the end");
            }
            if (!read.isCompletedExceptionally() && !sink.equals(source)) {
                throw new IllegalStateException("a Read brought other bytes");
            }
            return !read.isCompletedExceptionally();
        } finally {
            source.release();
            sink.release();
        }
    }

    /** Returns a source of chance of its own. */
    synchronized Random newRandom() {
        return new Random(seeds.nextLong());
    }

    SoakOptions options() {
        return options;
    }

    /** Runs a task on a new thread. */
    Future<?> submit(Callable<?> task) {
        return threads.submit(task);
    }

    /** A connection has ended. */
    void ended(String how) {
        ends.computeIfAbsent(how, same -> new LongAdder()).increment();
    }

    /** Requests that were posted at a time are complete. */
    void served(SoakServer server, long postedNanos) {
        long inAll = System.nanoTime() - postedNanos;
        if (inAll <= slowestNanos.get()) {
            return;
        }
        slowestNanosInAll.accumulateAndGet(inAll, Math::max);
        long nanos = inAll - server.lostTime().since(postedNanos);
        slowestNanos.accumulateAndGet(nanos, Math::max);
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
        if (millis > options.slowestMillis() && !warmUp) {
            fail(server.transport() + ": requests took " + millis + " ms, allowed are " + options.slowestMillis());
        }
    }

    /** A post was refused as its connection had ended. */
    void refused() {
        refused.incrementAndGet();
    }

    void fail(String what) {
        if (failures.getAndIncrement() < MAX_FAILURES_PRINTED) {
            System.out.println("FAILED " + what);
        }
    }
}
