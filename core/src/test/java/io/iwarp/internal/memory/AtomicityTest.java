package io.iwarp.internal.memory;

import static io.iwarp.memory.AccessRight.REMOTE_ATOMIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Effort;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two threads change a word in each of the ways. How often they interleave differs between machines, so the test
 * measures it: beside each change, a thread reads a word and then replaces it, which is not atomic. The test continues
 * until the other thread has interleaved between these two steps often enough to lose a change. On a single processor
 * threads hardly interleave, so the number of changes is limited.
 */
@Timeout(120)
class AtomicityTest {
    private static final int ENCOUNTERS = Effort.rounds(20);
    private static final long MAX_CHANGES = Effort.rounds(500_000);
    private static final int BATCH = 1000;
    private static final long HIGHEST_BITS = 0x8000_0000_8000_0000L;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final ByteBuf memory =
            Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(16).alignedSlice(8).limit(8));
    private final MemoryRegion region = domain.register(memory, REMOTE_ATOMIC);

    @AfterEach
    void close() {
        region.close();
        stream.close();
        domain.close();
        memory.release();
    }

    /** A way to add 1. */
    private enum Way {
        FETCH_ADD_OF_A_PEER {
            @Override
            void addOne(AtomicityTest test, AtomicOperation operation) {
                test.asPeer(operation.fetchAdd(1, 0));
            }
        },
        FETCH_ADD_OF_FIELDS_OF_A_PEER {
            @Override
            void addOne(AtomicityTest test, AtomicOperation operation) {
                test.asPeer(operation.fetchAdd(1, HIGHEST_BITS));
            }
        },
        COMPARE_SWAP_OF_A_PEER {
            @Override
            void addOne(AtomicityTest test, AtomicOperation operation) {
                long expected;
                do {
                    expected = test.region.getVolatile(0);
                    test.asPeer(operation.compareSwap(expected + 1, -1, expected, -1));
                } while (operation.original() != expected);
            }
        },
        FETCH_ADD_OF_THE_APPLICATION {
            @Override
            void addOne(AtomicityTest test, AtomicOperation operation) {
                test.region.fetchAdd(0, 1);
            }
        },
        COMPARE_SWAP_OF_THE_APPLICATION {
            @Override
            void addOne(AtomicityTest test, AtomicOperation operation) {
                long expected;
                do {
                    expected = test.region.getVolatile(0);
                } while (test.region.compareSwap(0, expected, expected + 1) != expected);
            }
        };

        abstract void addOne(AtomicityTest test, AtomicOperation operation);
    }

    private void asPeer(AtomicOperation operation) {
        TaggedBuffer target = stream.lookup(region.stag());
        if (target == null || !target.execute(0, operation)) {
            throw new AssertionError("refused");
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Requirement("EXT-4")
    void noChangeIsLostWhereTwoThreadsMeet(Way way) throws Exception {
        AtomicLong compared = new AtomicLong();
        AtomicInteger encounters = new AtomicInteger();
        AtomicLong added = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        List<Future<?>> both = new ArrayList<>();
        for (int thread = 0; thread < 2; thread++) {
            both.add(threads.submit(() -> {
                AtomicOperation operation = new AtomicOperation();
                while (encounters.get() < ENCOUNTERS && added.get() < MAX_CHANGES) {
                    for (int i = 0; i < BATCH; i++) {
                        way.addOne(this, operation);
                        long seen = compared.get();
                        if (!compared.compareAndSet(seen, seen + 1)) {
                            encounters.incrementAndGet();
                        }
                    }
                    added.addAndGet(BATCH);
                }
            }));
        }
        for (Future<?> one : both) {
            one.get();
        }
        threads.shutdown();

        assertThat(region.getVolatile(0)).isEqualTo(added.get());
    }
}
