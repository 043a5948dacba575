package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads post to one queue pair whose send queue is short, and no post blocks its thread. */
@Timeout(120)
class PostsOfManyThreadsTest {
    private static final int DEPTH = 4;
    private static final QueuePairSettings SETTINGS =
            QueuePairSettings.builder().sendQueueDepth(DEPTH).build();

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.region()
            .allocate(ByteBufAllocator.DEFAULT, Long.BYTES)
            .rights(AccessRight.REMOTE_ATOMIC, AccessRight.REMOTE_WRITE)
            .register();
    private final RemoteBuffer word = region.remoteBuffer();
    private QueuePair queuePair;
    private QueuePair responder;

    @BeforeEach
    void connect() throws Exception {
        queuePair = loopback.connect(loopback.accept(domain, SETTINGS, qp -> {}), domain, SETTINGS, qp -> {});
        responder = loopback.nextAccepted();
    }

    @AfterEach
    void close() throws Exception {
        queuePair.close();
        await(queuePair.closed());
        await(responder.closed());
        region.close();
        domain.close();
        loopback.close();
    }

    private void addFrom(ExecutorService executor, int tasks, int adds) throws Exception {
        List<Future<?>> done = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            done.add(executor.submit(() -> {
                for (int n = 0; n < adds; n++) {
                    queuePair.fetchAdd(word, 1).join();
                }
            }));
        }
        for (Future<?> task : done) {
            task.get();
        }
        executor.shutdown();
        assertThat(region.getVolatile(0)).isEqualTo((long) tasks * adds);
    }

    @Test
    void twoHundredThreadsAwaitTheirResults() throws Exception {
        addFrom(Executors.newFixedThreadPool(200), 200, 50);
    }

    @Test
    void fiveThousandVirtualThreadsAwaitTheirResults() throws Exception {
        ExecutorService virtual = null;
        try {
            virtual = (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException olderJdk) {
            assumeTrue(false, "this JDK has no virtual threads");
        }
        addFrom(virtual, 5000, 2);
    }

    @Test
    void aPlainLoopOfSmallWritesNeedsNoWaiting() throws Exception {
        CompletableFuture<Completion> last = queuePair.write(Unpooled.EMPTY_BUFFER, word.slice(0, 0));
        for (int i = 1; i < 16_000; i++) {
            last = queuePair.write(Unpooled.EMPTY_BUFFER, word.slice(0, 0));
        }
        last.get();
    }

    /** A thread that posts under a lock, and callbacks that take the same lock, do not stop each other. */
    @Test
    void postsUnderALockDoNotBlockItsCallbacks() throws Exception {
        Object lock = new Object();
        AtomicInteger added = new AtomicInteger();
        List<CompletableFuture<Long>> adds = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            synchronized (lock) {
                for (int n = 0; n < 2 * DEPTH; n++) {
                    adds.add(queuePair.fetchAdd(word, 1).whenComplete((old, failure) -> {
                        synchronized (lock) {
                            added.incrementAndGet();
                        }
                    }));
                }
            }
        }
        await(CompletableFuture.allOf(adds.toArray(CompletableFuture[]::new)));
        assertThat(added).hasValue(adds.size());
    }

    /** The JDK has one thread for all timeouts: a retry on it must not block. */
    @Test
    void retriesInCallbacksAndTimersContinue() throws Exception {
        int requests = 300;
        CountDownLatch done = new CountDownLatch(requests);
        for (int i = 0; i < requests; i++) {
            retry(done, i % 3);
        }
        done.await();
        await(queuePair.fetchAdd(word, 0));
        assertThat(region.getVolatile(0)).isGreaterThanOrEqualTo(requests);
    }

    private void retry(CountDownLatch done, int timeouts) {
        CompletableFuture<Long> add = queuePair.fetchAdd(word, 1);
        if (timeouts > 0) {
            add.orTimeout(1, TimeUnit.MICROSECONDS);
        }
        add.whenComplete((old, failure) -> {
            if (failure == null) {
                done.countDown();
            } else {
                assertThat(failure).isInstanceOf(TimeoutException.class);
                retry(done, timeouts - 1);
            }
        });
    }
}
