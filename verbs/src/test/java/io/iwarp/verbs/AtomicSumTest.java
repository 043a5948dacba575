package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Atomics of many connections on several event loops, and of the application, in the same 8 bytes.
 *
 * <p>The sum runs with 20,000 FetchAdds for each of 8 connections. A million each take a minute or less:
 *
 * <pre>mvn -pl verbs -am test -Dtest=AtomicSumTest -Dsurefire.failIfNoSpecifiedTests=false -Diwarp.atomics=1000000
 * </pre>
 */
@Timeout(600)
class AtomicSumTest {
    private static final int CONNECTIONS = 8;
    private static final int EVENT_LOOPS = 4;
    private static final int ADDS = Integer.getInteger("iwarp.atomics", 20_000);
    private static final int DEPTH = 64;
    private static final int LENGTH = 64;

    private final Loopback loopback = new Loopback(EVENT_LOOPS);
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final QueuePairSettings settings = QueuePairSettings.builder()
            .sendQueueDepth(2 * DEPTH)
            .mpa(MpaSettings.builder().ird(DEPTH).ord(DEPTH).build())
            .build();
    private MemoryRegion region;
    private SocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        region = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
                .register();
        address = loopback.accept(domain, settings, qp -> {});
    }

    @AfterEach
    void release() {
        loopback.close();
        region.close();
        domain.close();
    }

    /** Adds one again and again, as many at a time as the ORD allows. */
    private static final class Adder {
        private final QueuePair queuePair;
        private final RemoteBuffer target;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private long lastOriginal = -1;
        private int posted;
        private int completed;

        Adder(QueuePair queuePair, RemoteBuffer target) {
            this.queuePair = queuePair;
            this.target = target;
            queuePair.setCompletionListener((qp, completion) -> onCompletion(completion));
        }

        void begin() {
            queuePair.channel().eventLoop().execute(() -> {
                for (int i = 0; i < DEPTH; i++) {
                    post();
                }
            });
        }

        private void post() {
            if (posted < ADDS) {
                queuePair
                        .sendQueue()
                        .fetchAdd(++posted, target.slice(0, Long.BYTES), FetchAdd.add(1), PostOptions.NONE);
            }
        }

        private void onCompletion(CompletionView completion) {
            if (!completion.successful() || completion.originalValue() <= lastOriginal) {
                done.completeExceptionally(new AssertionError(completion + " found " + completion.originalValue()
                        + ", the one before it found " + lastOriginal));
            }
            lastOriginal = completion.originalValue();
            post();
            if (++completed == ADDS) {
                done.complete(null);
            }
        }
    }

    @Test
    @Requirement({"EXT-4", "EXT-5"})
    void noAddOfAnyConnectionOrOfTheApplicationIsLost() throws Exception {
        List<Adder> adders = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            adders.add(new Adder(loopback.connect(address, domain, settings, qp -> {}), region.remoteBuffer(0, 8)));
        }
        ExecutorService application = Executors.newSingleThreadExecutor();
        CompletableFuture<Void> remoteDone =
                CompletableFuture.allOf(adders.stream().map(adder -> adder.done).toArray(CompletableFuture<?>[]::new));
        long begin = System.nanoTime();
        Future<Long> local = application.submit(() -> addUntil(remoteDone));
        adders.forEach(Adder::begin);
        remoteDone.get();
        long nanos = System.nanoTime() - begin;
        long expected = (long) CONNECTIONS * ADDS + local.get();
        application.shutdown();
        assertThat(region.getVolatile(0)).isEqualTo(expected);
        System.Logger logger = System.getLogger(AtomicSumTest.class.getName());
        logger.log(
                System.Logger.Level.INFO,
                "{0} FetchAdds in {1} ms, beside {2} of the application",
                CONNECTIONS * ADDS,
                nanos / 1_000_000,
                expected - (long) CONNECTIONS * ADDS);
        closeAll(adders.stream().map(adder -> adder.queuePair).toList());
    }

    /** What an application does with its own memory while peers change it. */
    @SuppressWarnings("ThreadPriorityCheck") // there are fewer cores than threads
    private long addUntil(CompletableFuture<Void> over) {
        long added = 0;
        while (!over.isDone()) {
            region.fetchAdd(0, 1);
            if (++added % 64 == 0) {
                Thread.yield();
            }
        }
        return added;
    }

    private void closeAll(List<QueuePair> queuePairs) throws Exception {
        queuePairs.forEach(QueuePair::close);
        for (QueuePair queuePair : queuePairs) {
            await(queuePair.closed());
            await(loopback.nextAccepted().closed());
        }
    }

    @Test
    @Requirement({"EXT-4", "EXT-8"})
    void aLockOfCompareSwapsKeepsOthersOut() throws Exception {
        int holders = 4;
        int turns = 200;
        RemoteBuffer lock = region.remoteBuffer(8, 8);
        RemoteBuffer number = region.remoteBuffer(16, 8);
        ExecutorService threads = Executors.newFixedThreadPool(holders);
        List<QueuePair> queuePairs = new ArrayList<>();
        List<Future<Void>> running = new ArrayList<>();
        for (int i = 1; i <= holders; i++) {
            QueuePair queuePair = loopback.connect(address, domain, settings, qp -> {});
            queuePairs.add(queuePair);
            int self = i;
            running.add(threads.submit(() -> takeTurns(queuePair, lock, number, self, turns)));
        }
        for (Future<Void> holder : running) {
            holder.get();
        }
        threads.shutdown();
        closeAll(queuePairs);
        ByteBuf counted = region.view(16, 8);
        assertThat(counted.readLong()).isEqualTo((long) holders * turns);
        counted.release();
        assertThat(region.getVolatile(8)).isZero();
    }

    /** Reads a number, adds one and writes it back, which loses turns if two do it at the same time. */
    private static Void takeTurns(QueuePair queuePair, RemoteBuffer lock, RemoteBuffer number, int self, int turns)
            throws Exception {
        ByteBuf bytes = Unpooled.directBuffer(8, 8);
        for (int turn = 0; turn < turns; turn++) {
            while (await(queuePair.compareSwap(lock, 0, self)) != 0) {
                Thread.onSpinWait();
            }
            await(queuePair.read(bytes.clear(), number));
            bytes.setLong(0, bytes.getLong(0) + 1);
            CompletableFuture<Completion> written = queuePair.write(bytes, number);
            assertThat(await(queuePair.compareSwap(lock, self, 0))).isEqualTo(self);
            await(written);
        }
        bytes.release();
        return null;
    }
}
