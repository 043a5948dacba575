package io.iwarp.soak;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.transport.IoUringShutdownGuard;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
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
    private static final int CLIENTS_OF_A_LANE = 2;
    private static final long SLOWEST_CONTROL_SECONDS = 20;
    private static final int MAX_COMPLAINTS = 20;
    /** Direct memory that may be left at the end: what event loops and threads keep warm. */
    private static final long LEFT_DIRECT = 0;

    private static final long LEFT_HEAP = 16L << 20;

    private final Random seeds;
    private final AtomicLong complaints = new AtomicLong();
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong posts = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final ConcurrentMap<String, LongAdder> ends = new ConcurrentSkipListMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final int posters;
    private final long wantedEnds;
    private final AtomicLong controls = new AtomicLong();
    private final AtomicLong slowestControl = new AtomicLong();

    /** Contexts of both sides. */
    record Tls(SslContext server, SslContext client) {}

    private Soak(long seed, int posters, long wantedEnds) {
        this.seeds = new Random(seed);
        this.posters = posters;
        this.wantedEnds = wantedEnds;
    }

    /**
     * Runs the load.
     *
     * @param args for how many minutes at most, the seed of what clients and servers do, how many threads post on each
     *     connection, and after how many ends of connections to stop before the time is over; 0 not to stop
     */
    public static void main(String[] args) throws Exception {
        long minutes = Long.parseLong(args[0]);
        long seed = Long.parseLong(args[1]);
        int posters = Integer.parseInt(args[2]);
        long ends = Long.parseLong(args[3]);
        System.out.println("seed " + seed);
        // Classes, compiled code and what event loops keep belong to no connection.
        Soak warmUp = new Soak(seed, posters, 0);
        warmUp.run(TimeUnit.SECONDS.toNanos(10));
        Usage before = Usage.now();
        Soak soak = new Soak(seed, posters, ends);
        soak.run(TimeUnit.MINUTES.toNanos(minutes));
        Usage after = Usage.now();
        System.out.printf(
                Locale.ROOT,
                "left in all: %,d bytes of heap, %,d direct%n",
                after.heap() - before.heap(),
                after.direct() - before.direct());
        if (after.direct() - before.direct() > LEFT_DIRECT || after.heap() - before.heap() > LEFT_HEAP) {
            soak.complain("memory is left");
        }
        if (soak.connections.get() < ends) {
            soak.complain("the time was enough for " + soak.connections + " ends only");
        }
        System.exit(warmUp.complaints.get() + soak.complaints.get() == 0 ? 0 : 1);
    }

    private void run(long nanos) throws Exception {
        long start = System.nanoTime();
        List<Lane> lanes = lanes();
        List<Future<?>> running = new ArrayList<>();
        for (Lane lane : lanes) {
            for (int i = 0; i < CLIENTS_OF_A_LANE; i++) {
                Random random = dice();
                running.add(threads.submit(() -> load(lane, random, start, nanos)));
            }
            running.add(threads.submit(() -> control(lane, start, nanos)));
        }
        for (Future<?> each : running) {
            each.get();
        }
        threads.shutdown();
        for (Lane lane : lanes) {
            lane.end();
        }
        System.out.printf(
                Locale.ROOT,
                "%,d s over %s: %,d connections ended, by %s; %,d posts completed once and in order, %,d"
                        + " were refused behind an end;"
                        + " control clients were served %,d times, %,d ms at the slowest; %,d complaints%n",
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                lanes.stream().map(Lane::name).collect(Collectors.joining(", ")),
                connections.get(),
                ends,
                posts.get(),
                refused.get(),
                controls.get(),
                slowestControl.get(),
                complaints.get());
    }

    /** Returns whether to go on. */
    private boolean unfinished(long start, long nanos) {
        return System.nanoTime() - start < nanos && (wantedEnds == 0 || connections.get() < wantedEnds);
    }

    private List<Lane> lanes() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        List<Lane> lanes = new ArrayList<>();
        lanes.add(new Lane(
                this,
                "NIO",
                NioIoHandler.newFactory(),
                NioServerSocketChannel.class,
                NioSocketChannel.class,
                any,
                null));
        lanes.add(new Lane(
                this,
                "NIO with TLS",
                NioIoHandler.newFactory(),
                NioServerSocketChannel.class,
                NioSocketChannel.class,
                any,
                tls()));
        lanes.add(new Lane(
                this,
                "local",
                LocalIoHandler.newFactory(),
                LocalServerChannel.class,
                LocalChannel.class,
                LocalAddress.ANY,
                null));
        if (Epoll.isAvailable()) {
            lanes.add(new Lane(
                    this,
                    "epoll",
                    EpollIoHandler.newFactory(),
                    EpollServerSocketChannel.class,
                    EpollSocketChannel.class,
                    any,
                    null));
            lanes.add(new Lane(
                    this,
                    "Unix domain sockets",
                    EpollIoHandler.newFactory(),
                    EpollServerDomainSocketChannel.class,
                    EpollDomainSocketChannel.class,
                    new DomainSocketAddress(socketFile()),
                    null));
        }
        if (IoUring.isAvailable()) {
            lanes.add(new Lane(
                    this,
                    "io_uring",
                    new IoUringShutdownGuard(IoUringIoHandler.newFactory()),
                    IoUringServerSocketChannel.class,
                    IoUringSocketChannel.class,
                    any,
                    null));
        }
        return lanes;
    }

    private static File socketFile() throws IOException {
        File directory = Files.createTempDirectory("iwarp-soak").toFile();
        directory.deleteOnExit();
        File file = new File(directory, "socket");
        file.deleteOnExit();
        return file;
    }

    private static Tls tls() throws Exception {
        X509Bundle server = new CertificateBuilder()
                .algorithm(CertificateBuilder.Algorithm.ecp256)
                .subject("CN=localhost")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        return new Tls(
                SslContextBuilder.forServer(server.getKeyPair().getPrivate(), server.getCertificatePath())
                        .build(),
                SslContextBuilder.forClient()
                        .trustManager(server.getCertificate())
                        .endpointIdentificationAlgorithm(null)
                        .build());
    }

    private void load(Lane lane, Random random, long start, long nanos) {
        while (unfinished(start, nanos)) {
            try {
                posts.addAndGet(new Client(this, lane, random).run());
                connections.incrementAndGet();
            } catch (Exception failure) {
                complain(lane.name() + ": a client failed: " + failure);
            }
        }
    }

    /** Once a second: is the server still there for a client that only wants to write and read a little? */
    private void control(Lane lane, long start, long nanos) {
        while (unfinished(start, nanos)) {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            long begun = System.nanoTime();
            try {
                boolean served = writtenAndRead(lane);
                while (!served) {
                    served = writtenAndRead(lane);
                }
            } catch (Exception failure) {
                complain(lane.name() + ": the control client was not served: " + failure);
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            slowestControl.accumulateAndGet(millis, Math::max);
            controls.incrementAndGet();
            if (millis > TimeUnit.SECONDS.toMillis(SLOWEST_CONTROL_SECONDS)) {
                complain(lane.name() + ": the control client was served in " + millis + " ms only");
            }
        }
    }

    /** Returns false if the server ended this client in the middle, as it does at random. */
    private static boolean writtenAndRead(Lane lane) throws Exception {
        QueuePair queuePair = lane.connect();
        RemoteBuffer memory = RemoteBuffer.decode(Unpooled.wrappedBuffer(
                Objects.requireNonNull(queuePair.parameters()).peerPrivateData()));
        ByteBuf source = Unpooled.directBuffer(Long.BYTES, Long.BYTES).writeLong(System.nanoTime());
        ByteBuf sink = Unpooled.directBuffer(Long.BYTES, Long.BYTES);
        try {
            var written = queuePair.write(source, memory);
            var read = queuePair.read(sink, memory.slice(0, Long.BYTES));
            queuePair.close();
            queuePair.closed().get(SLOWEST_CONTROL_SECONDS, TimeUnit.SECONDS);
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
    synchronized Random dice() {
        return new Random(seeds.nextLong());
    }

    int posters() {
        return posters;
    }

    /** Runs a task on a thread of its own. */
    Future<?> submit(Callable<?> task) {
        return threads.submit(task);
    }

    /** A connection has ended. */
    void ended(String how) {
        ends.computeIfAbsent(how, same -> new LongAdder()).increment();
    }

    /** A post was refused as its connection had ended. */
    void refused() {
        refused.incrementAndGet();
    }

    void complain(String what) {
        if (complaints.getAndIncrement() < MAX_COMPLAINTS) {
            System.out.println("FAILED " + what);
        }
    }
}
