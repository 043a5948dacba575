package io.iwarp.soak;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Many connections between two processes, through set-up, idle, load and teardown. Prints what each stage costs at each
 * end, and fails if a connection, an operation or a byte is lost, or anything is left at the end.
 */
public final class Scale {
    static final int CELL = 64;

    private static final int WARM_UP_CONNECTIONS = 200;
    private static final int AT_A_TIME = 256;
    private static final int ROUNDS = 5;
    private static final long PATIENCE_SECONDS = 300;
    /**
     * Heap that may be left in all at the end: code that was compiled since, caches of threads, the noise of a
     * collection.
     */
    private static final long LEFT_HEAP = 8L << 20;

    private final int idleSeconds;
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final Process server;
    private final BufferedReader answers;
    private final InetSocketAddress address;
    private final List<QueuePair> connected = Collections.synchronizedList(new ArrayList<>());
    private long operations;

    /** What the server says of itself. */
    private record Server(Usage usage, long connections, long messages, long counter) {}

    private Scale(int connections, int idleSeconds) throws IOException {
        this.idleSeconds = idleSeconds;
        server = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx2g",
                        "-Dio.netty.allocator.type=pooled",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ScaleServer.class.getName(),
                        Integer.toString(connections))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        answers = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.US_ASCII));
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(answer()));
    }

    /**
     * Runs all stages.
     *
     * @param args how many connections, and how many seconds they stay idle
     */
    public static void main(String[] args) throws Exception {
        int connections = Integer.parseInt(args[0]);
        Scale scale = new Scale(connections, Integer.parseInt(args[1]));
        try {
            scale.run(connections);
        } finally {
            scale.server.destroyForcibly();
        }
    }

    static QueuePairSettings settings() {
        return QueuePairSettings.builder()
                .sendQueueDepth(16)
                .receiveQueueDepth(16)
                .managedReceiveBytes(CELL)
                .mpa(MpaSettings.builder().startupTimeout(Duration.ofMinutes(2)).build())
                .build();
    }

    private String answer() throws IOException {
        return Objects.requireNonNull(answers.readLine(), "the server ended");
    }

    private Server askServer() throws IOException {
        OutputStream questions = server.getOutputStream();
        questions.write('\n');
        questions.flush();
        long[] said =
                Arrays.stream(answer().split(" ")).mapToLong(Long::parseLong).toArray();
        return new Server(new Usage(said[0], said[1]), said[2], said[3], said[4]);
    }

    private void run(int connections) throws Exception {
        // Classes and compiled code belong to no connection.
        connectAll(WARM_UP_CONNECTIONS);
        load();
        closeAll();
        Usage before = Usage.now();
        Usage serverBefore = untilServerHas(0).usage();
        System.out.printf(
                Locale.ROOT,
                "%,d connections; bytes for each at the client (heap, direct) and at the server (heap, direct)%n",
                connections);
        stage("set-up", before, serverBefore, connections, () -> connectAll(connections));
        stage("idle", before, serverBefore, connections, this::idle);
        stage("load", before, serverBefore, connections, this::load);
        stage("teardown", before, serverBefore, connections, this::closeAll);
        requireLittleLeft("client", before, Usage.now());
        requireLittleLeft("server", serverBefore, untilServerHas(0).usage());
        server.getOutputStream().close();
        require(server.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "the server did not end");
        require(server.exitValue() == 0, "the server failed, and says above why");
        domain.close();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        System.out.println("nothing was lost, nothing is left");
    }

    private static void requireLittleLeft(String end, Usage before, Usage after) {
        require(after.direct() <= before.direct(), "direct memory is left at the " + end + ": " + after);
        require(
                after.heap() - before.heap() <= LEFT_HEAP,
                "heap is left at the " + end + ": " + after + " of " + before);
    }

    private interface Stage {
        void run() throws Exception;
    }

    private void stage(String name, Usage before, Usage serverBefore, int connections, Stage stage) throws Exception {
        long start = System.nanoTime();
        stage.run();
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "%-9s %6.1f s  %s  %s%n",
                name,
                seconds,
                Usage.now().since(before, connections),
                askServer().usage().since(serverBefore, connections));
    }

    private void connectAll(int count) throws Exception {
        Bootstrap bootstrap = new Bootstrap().group(group).channel(NioSocketChannel.class);
        Iwarp.Client connector = Iwarp.client(bootstrap).domain(domain).settings(settings());
        forEach(count, i -> connector.connect(address).thenAccept(connected::add));
        untilServerHas(count);
    }

    private Server untilServerHas(int connections) throws Exception {
        Server said = askServer();
        for (int i = 0; i < PATIENCE_SECONDS && said.connections() != connections; i++) {
            pause();
            said = askServer();
        }
        require(said.connections() == connections, "the server has " + said.connections() + " connections");
        return said;
    }

    /** The group does not terminate meanwhile: this only waits. */
    private void pause() throws InterruptedException {
        group.awaitTermination(1, TimeUnit.SECONDS);
    }

    private void idle() throws InterruptedException {
        for (int i = 0; i < idleSeconds; i++) {
            pause();
        }
        require(
                connected.stream().allMatch(queuePair -> queuePair.state() == ConnectionState.READY),
                "a connection ended while it was idle");
    }

    private void load() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            int shift = round;
            forEach(connected.size(), i -> use(connected.get(i), i, i + shift));
            operations += connected.size();
        }
        Server said = askServer();
        for (int i = 0; i < PATIENCE_SECONDS && said.messages() < operations; i++) {
            pause();
            said = askServer();
        }
        require(said.messages() == operations, said.messages() + " messages came of " + operations);
        require(said.counter() == operations, said.counter() + " atomics were carried out of " + operations);
    }

    /** A Write, a Read of it, an atomic and a message. */
    private static CompletableFuture<Void> use(QueuePair queuePair, int cell, int seed) {
        MpaParameters agreed = Objects.requireNonNull(queuePair.parameters());
        RemoteBuffer cells = RemoteBuffer.decode(Unpooled.wrappedBuffer(agreed.peerPrivateData()));
        RemoteBuffer place = cells.slice((long) CELL * cell, CELL);
        ByteBuf source = Unpooled.directBuffer(CELL, CELL);
        for (int i = 0; i < CELL; i++) {
            source.writeByte(seed * 31 + i);
        }
        ByteBuf sink = Unpooled.directBuffer(CELL, CELL);
        ByteBuf message = Unpooled.directBuffer(Long.BYTES, Long.BYTES).writeLong(1);
        return CompletableFuture.allOf(
                        queuePair.write(source, place),
                        queuePair
                                .read(sink, place)
                                .thenAccept(read -> require(sink.equals(source), "a Read brought other bytes")),
                        queuePair.fetchAdd(cells.slice(cells.length() - CELL, Long.BYTES), 1),
                        queuePair.send(message))
                .whenComplete((done, failure) -> {
                    source.release();
                    sink.release();
                    message.release();
                });
    }

    private void closeAll() throws Exception {
        forEach(connected.size(), i -> {
            QueuePair queuePair = connected.get(i);
            queuePair.close();
            return queuePair.closed().thenAccept(Scale::requireOrderly);
        });
        connected.clear();
        untilServerHas(0);
    }

    private static void requireOrderly(CloseReason reason) {
        require(reason.endedBy() == EndedBy.LOCAL_APPLICATION, "a connection ended otherwise: " + reason);
    }

    private interface Step {
        CompletableFuture<Void> begin(int number);
    }

    /** Does something so many times, some of them at once, and waits for all; fails with the first failure. */
    private static void forEach(int count, Step step) throws Exception {
        Semaphore room = new Semaphore(AT_A_TIME);
        List<CompletableFuture<Void>> steps = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            require(
                    room.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS),
                    "nothing moved for " + PATIENCE_SECONDS + " s");
            steps.add(step.begin(i).whenComplete((done, failure) -> room.release()));
        }
        CompletableFuture.allOf(steps.toArray(CompletableFuture[]::new)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static void require(boolean condition, String complaint) {
        if (!condition) {
            throw new IllegalStateException(complaint);
        }
    }
}
