package io.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SinkPoolTest {
    private static final int UNIT = SinkPool.UNIT;
    private static final int SLAB = 16 * UNIT;
    private static final int SLABS = 3;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final SinkPool pool = new SinkPool(domain, PooledByteBufAllocator.DEFAULT, SLAB, SLABS * SLAB + 1);

    @AfterEach
    void close() {
        assertThat(pool.lentSinks()).isZero();
        assertThat(pool.lentBytes()).isZero();
        pool.close();
        assertThat(domain.regions()).isZero();
        domain.close();
    }

    @Test
    void aSinkIsPartOfARegionForAnswersToReads() {
        Sink first = pool.lend(UNIT + 1);
        Sink second = pool.lend(7);

        assertThat(first.length()).isEqualTo(UNIT + 1);
        assertThat(first.region()).isSameAs(second.region());
        assertThat(first.region().rights()).containsExactly(AccessRight.LOCAL_WRITE);
        assertThat(second.offset()).isGreaterThanOrEqualTo(first.offset() + first.length());
        assertThat(first.buffer().readableBytes()).isEqualTo(UNIT + 1);
        second.buffer().setByte(6, 42);
        ByteBuf slab = second.region().span().bufferAt(0);
        assertThat(slab.getByte((int) second.offset() + 6)).isEqualTo((byte) 42);
        assertThat(pool).asString().isEqualTo("SinkPool[2 sinks of 264 bytes lent, 4096 bytes registered]");
        first.release();
        second.release();
    }

    @Test
    void aSlabIsRegisteredWhenItIsNeededAndNotAgain() {
        assertThat(domain.regions()).isZero();
        Sink whole = pool.lend(SLAB);
        Sink next = pool.lend(1);
        assertThat(domain.regions()).isEqualTo(2);
        whole.release();
        next.release();

        assertThat(pool.registeredBytes()).isEqualTo(2 * SLAB);
        pool.lend(SLAB).release();
        assertThat(domain.regions()).isEqualTo(2);
    }

    @Test
    void partsThatCameBackAreOneAgain() {
        List<Sink> small = new ArrayList<>();
        for (int i = 0; i < SLABS * SLAB / UNIT; i++) {
            small.add(pool.lend(UNIT));
        }
        assertThat(pool.lend(1)).isNull();
        small.get(20).release();
        assertThat(pool.lend(UNIT + 1)).isNull();
        small.set(20, pool.lend(UNIT));
        assertThat(domain.regions()).isEqualTo(SLABS);

        small.forEach(Sink::release);

        for (int i = 0; i < SLABS; i++) {
            small.set(i, pool.lend(SLAB));
            assertThat(small.get(i).offset()).isZero();
        }
        small.subList(0, SLABS).forEach(Sink::release);
    }

    @Test
    void aSinkIsReturnedOnce() {
        Sink sink = pool.lend(5);
        sink.retain();
        assertThat(sink.release()).isFalse();
        assertThat(pool.lentSinks()).isOne();
        assertThat(pool.lentBytes()).isEqualTo(5);
        assertThat(sink.release()).isTrue();

        assertThatThrownBy(sink::release).isInstanceOf(IllegalReferenceCountException.class);
    }

    @Test
    void aPoolIsNotClosedWhileASinkIsLent() {
        Sink sink = pool.lend(5);

        assertThatIllegalStateException()
                .isThrownBy(pool::close)
                .withMessageContaining("1 sinks of together 5 bytes are lent");
        assertThat(sink.region().isValid()).isTrue();
        sink.release();
        pool.close();
        assertThat(domain.regions()).isZero();
        assertThatIllegalStateException().isThrownBy(() -> pool.lend(5)).withMessageContaining("was closed");
    }

    @Test
    void wrongLengthsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.lend(SLAB + 1))
                .withMessageContaining("1 to 4096 bytes, not 4097");
        assertThatIllegalArgumentException().isThrownBy(() -> pool.lend(0));
        for (int slab : new int[] {0, UNIT / 2, 3 * UNIT, Integer.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new SinkPool(domain, PooledByteBufAllocator.DEFAULT, slab, 1 << 20))
                    .withMessageContaining("not a power of two");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SinkPool(domain, PooledByteBufAllocator.DEFAULT, SLAB, SLAB - 1))
                .withMessageContaining("less than a slab");
    }

    @Test
    void aSlabThatIsRefusedLeavesThePoolAsItWas() {
        ProtectionDomain small = IwarpDevice.builder().maximumRegions(1).build().allocateProtectionDomain();
        try (SinkPool limited = new SinkPool(small, PooledByteBufAllocator.DEFAULT, SLAB, 2 * SLAB)) {
            Sink sink = limited.lend(SLAB);
            assertThatThrownBy(() -> limited.lend(1)).isInstanceOf(ResourceLimitException.class);
            assertThat(limited.lentSinks()).isOne();
            sink.release();
        }
        small.close();
    }

    /** Each of several threads finds in its sinks what it wrote there, until it returns them. */
    @Test
    void noByteIsLentTwice() throws Exception {
        int users = 3;
        ExecutorService threads = Executors.newFixedThreadPool(users);
        try {
            Seeds.forEach(5, (seed, random) -> {
                List<Future<Integer>> wrong = new ArrayList<>();
                for (int i = 1; i <= users; i++) {
                    int user = i;
                    wrong.add(threads.submit(() -> use(user, new Random(seed + user))));
                }
                for (Future<Integer> bytes : wrong) {
                    assertThat(bytes.get()).isZero();
                }
            });
        } finally {
            threads.shutdown();
        }
    }

    private int use(int user, Random random) {
        List<Sink> mine = new ArrayList<>();
        int wrong = 0;
        for (int i = 0; i < 4_000; i++) {
            Sink sink = random.nextInt(3) == 0 ? null : pool.lend(1 + random.nextInt(1 << random.nextInt(13)) % SLAB);
            if (sink != null) {
                mark(sink, user);
                mine.add(sink);
            } else if (!mine.isEmpty()) {
                wrong += putBack(mine.remove(random.nextInt(mine.size())), user);
            }
        }
        for (Sink sink : mine) {
            wrong += putBack(sink, user);
        }
        return wrong;
    }

    private static void mark(Sink sink, int user) {
        ByteBuf bytes = sink.buffer();
        bytes.setByte(0, user).setByte(sink.length() / 2, user).setByte(sink.length() - 1, user);
    }

    private static int putBack(Sink sink, int user) {
        ByteBuf bytes = sink.buffer();
        boolean right = bytes.getByte(0) == user
                && bytes.getByte(sink.length() / 2) == user
                && bytes.getByte(sink.length() - 1) == user;
        mark(sink, 0);
        sink.release();
        return right ? 0 : 1;
    }
}
