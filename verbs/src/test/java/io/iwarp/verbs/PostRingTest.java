package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class PostRingTest {
    private static final class Slot {
        private long value;
    }

    private static void post(PostRing<Slot> ring, long value) {
        long position = ring.claim();
        assertThat(position).isNotEqualTo(PostRing.FULL);
        ring.slot(position).value = value;
        ring.publish(position);
    }

    @Test
    void slotsComeOutInTheOrderOfTheirClaims() {
        PostRing<Slot> ring = new PostRing<>(4, Slot::new);
        long first = ring.claim();
        long second = ring.claim();
        ring.slot(second).value = 2;
        ring.publish(second);
        assertThat(ring.readyCount()).isZero();
        assertThat(ring.startNext()).isNull();
        ring.slot(first).value = 1;
        ring.publish(first);
        assertThat(ring.readyCount()).isEqualTo(2);
        assertThat(ring.peek(1).value).isEqualTo(2);
        assertThat(ring.startNext().value).isEqualTo(1);
        assertThat(ring.startNext().value).isEqualTo(2);
        assertThat(ring.startNext()).isNull();
    }

    @Test
    void aSlotIsOccupiedUntilItIsFreed() {
        for (int depth : new int[] {1, 2, 3, 5, 8}) {
            PostRing<Slot> ring = new PostRing<>(depth, Slot::new);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < depth; i++) {
                    post(ring, i);
                }
                assertThat(ring.claim()).as("depth %d", depth).isEqualTo(PostRing.FULL);
                for (int i = 0; i < depth; i++) {
                    ring.startNext();
                    assertThat(ring.claim()).isEqualTo(PostRing.FULL);
                }
                assertThat(ring.oldest().value).isZero();
                for (int i = 0; i < depth; i++) {
                    ring.done();
                    ring.release();
                }
                assertThat(ring.oldest()).isNull();
            }
        }
    }

    @Test
    void concurrentPostsKeepTheOrderOfEachThread() throws Exception {
        int threads = 2;
        int posts = 20_000;
        PostRing<Slot> ring = new PostRing<>(64, Slot::new);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> posters = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            long tag = (long) t << 32;
            posters.add(executor.submit(() -> {
                start.await();
                for (int i = 0; i < posts; i++) {
                    long position = ring.claim();
                    while (position == PostRing.FULL) {
                        Thread.onSpinWait();
                        position = ring.claim();
                    }
                    ring.slot(position).value = tag | i;
                    ring.publish(position);
                }
                return null;
            }));
        }
        start.countDown();
        int[] next = new int[threads];
        for (int taken = 0; taken < threads * posts; ) {
            Slot slot = ring.startNext();
            if (slot == null) {
                Thread.onSpinWait();
                continue;
            }
            int thread = (int) (slot.value >>> 32);
            assertThat((int) slot.value).isEqualTo(next[thread]++);
            ring.done();
            ring.release();
            taken++;
        }
        for (Future<?> poster : posters) {
            poster.get();
        }
        assertThat(ring.startNext()).isNull();
        executor.shutdown();
    }

    @Test
    void aClosedRingGivesNoSlotAndStillCountsThoseClaimed() {
        PostRing<Slot> ring = new PostRing<>(4, Slot::new);
        long late = ring.claim();
        ring.close();
        ring.close();
        assertThat(ring.claim()).isEqualTo(PostRing.FULL);
        assertThat(ring.unreleasedCount()).isOne();
        assertThat(ring.unstartedCount()).isOne();
        ring.publish(late);
        assertThat(ring.startNext()).isSameAs(ring.slot(late));
        ring.done();
        ring.release();
        assertThat(ring.unreleasedCount()).isZero();
        assertThat(ring.claim()).isEqualTo(PostRing.FULL);
    }

    /** A gauge reads them while the event loop and the posters continue. */
    @Test
    void theCountsStayWithinTheDepthWhileOthersPostAndComplete() throws Exception {
        int depth = 4;
        PostRing<Slot> ring = new PostRing<>(depth, Slot::new);
        AtomicBoolean enough = new AtomicBoolean();
        ExecutorService executor = Executors.newSingleThreadExecutor();
        Future<?> busy = executor.submit(() -> {
            while (!enough.get()) {
                ring.publish(ring.claim());
                ring.startNext();
                ring.done();
                ring.release();
            }
        });
        for (int i = 0; i < 5_000_000; i++) {
            int uncompleted = ring.unreleasedCount();
            int unstarted = ring.unstartedCount();
            if (uncompleted < 0 || uncompleted > depth || unstarted < 0 || unstarted > depth) {
                enough.set(true);
                throw new AssertionError(uncompleted + " uncompleted, " + unstarted + " unstarted");
            }
        }
        enough.set(true);
        busy.get();
        executor.shutdown();
    }
}
