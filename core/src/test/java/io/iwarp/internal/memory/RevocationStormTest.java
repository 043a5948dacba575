package io.iwarp.internal.memory;

import static io.iwarp.internal.memory.AccessVerdict.GRANTED;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Effort;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Revocation against placements that continue in other threads. */
@Timeout(120)
@SuppressWarnings("ThreadPriorityCheck") // there are more threads than cores, and each waits for the others
class RevocationStormTest {
    private static final int WRITERS = 3;
    private static final int ROUNDS = Effort.rounds(60);
    private static final long WAIT_NANOS = 10_000;
    /** Two pieces, one segment in each round trip over both, long enough to be caught in the middle of a copy. */
    private static final int PIECE = 32 * 1024;

    private static final int SEGMENT = 48 * 1024;

    private final ByteBuf first = PooledByteBufAllocator.DEFAULT.directBuffer(PIECE, PIECE);
    private final ByteBuf second = PooledByteBufAllocator.DEFAULT.directBuffer(PIECE, PIECE);
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    private final AtomicIntegerArray placements = new AtomicIntegerArray(WRITERS);
    private final AtomicIntegerArray refusals = new AtomicIntegerArray(WRITERS);
    private final List<Future<Void>> writers = new ArrayList<>();
    private volatile TaggedBuffer target;
    private volatile boolean over;

    /** Registers, waits for the storm, revokes and looks. */
    private interface Round {
        void run(int number) throws Exception;
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        stream.close();
        domain.close();
        first.release();
        second.release();
    }

    /** What an event loop does with the segments of a peer that does not stop writing. */
    private Void write(int writer) {
        // Not from an allocator, as leak detection would take more time than the placements.
        ByteBuf payload = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(SEGMENT));
        for (int round = 0; !over; round++) {
            TaggedBuffer buffer = target;
            payload.setByte(0, round).setByte(SEGMENT - 1, round + writer);
            boolean placed = buffer != null
                    && buffer.check(stream, REMOTE_WRITE, 1000, SEGMENT) == GRANTED
                    && buffer.place(1000, payload, 0, SEGMENT);
            if (placed) {
                placements.incrementAndGet(writer);
                payload.setLong(8 * (round % 1000) + 8, System.nanoTime());
            } else if (buffer != null) {
                refusals.incrementAndGet(writer);
                Thread.yield();
            } else {
                Thread.yield();
            }
        }
        payload.release();
        return null;
    }

    private void awaitRise(AtomicIntegerArray counts, int writer, int from) throws InterruptedException {
        while (counts.get(writer) == from) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            assertThat(writers).as("writers that gave up").noneMatch(Future::isDone);
            LockSupport.parkNanos(WAIT_NANOS);
        }
    }

    private void storm(Round revocation) throws Exception {
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            writers.add(threads.submit(() -> write(writer)));
        }
        try {
            for (int i = 0; i < ROUNDS; i++) {
                revocation.run(i);
            }
        } finally {
            over = true;
        }
        for (Future<Void> writer : writers) {
            writer.get();
        }
    }

    private MemoryRegion register() {
        MemoryRegion region = domain.region()
                .buffers(first, second)
                .baseTaggedOffset(1000)
                .rights(REMOTE_WRITE)
                .register();
        target = stream.lookup(region.stag());
        return region;
    }

    @Test
    @Requirement("SEC-6")
    void afterRevocationReturnsNoByteChanges() throws Exception {
        byte[] atReturn = new byte[2 * PIECE];
        byte[] later = new byte[2 * PIECE];
        storm(round -> {
            int writer = round % WRITERS;
            int placed = placements.get(writer);
            MemoryRegion region = register();
            awaitRise(placements, writer, placed);
            if (round % 2 == 0) {
                region.invalidate();
            } else {
                region.close();
            }
            snapshot(atReturn);
            awaitRise(refusals, writer, refusals.get(writer));
            snapshot(later);
            assertThat(later).as("round %d", round).isEqualTo(atReturn);
            region.close();
        });
        assertThat(first.refCnt()).isOne();
        assertThat(second.refCnt()).isOne();
    }

    @Test
    @Requirement("SEC-6")
    void concurrentRevocationsReturnAfterTheLastPlacement() throws Exception {
        ExecutorService revokers = Executors.newFixedThreadPool(2);
        byte[] mine = new byte[2 * PIECE];
        byte[] later = new byte[2 * PIECE];
        storm(round -> {
            int placed = placements.get(0);
            MemoryRegion region = register();
            awaitRise(placements, 0, placed);
            Future<?> other = revokers.submit(region::close);
            region.close();
            snapshot(mine);
            other.get();
            snapshot(later);
            assertThat(later).isEqualTo(mine);
        });
        revokers.shutdown();
    }

    @Test
    @Requirement("SEC-6")
    void memoryThatARegionAloneHoldsCanBeFreedInTheStorm() throws Exception {
        storm(round -> {
            int placed = placements.get(0);
            MemoryRegion region = domain.region()
                    .allocate(PooledByteBufAllocator.DEFAULT, 2L * PIECE)
                    .baseTaggedOffset(1000)
                    .rights(REMOTE_WRITE)
                    .register();
            ByteBuf memory = ((DefaultMemoryRegion) region).memory().piece(0);
            target = stream.lookup(region.stag());
            awaitRise(placements, 0, placed);
            region.close();
            assertThat(memory.refCnt()).isZero();
        });
    }

    private void snapshot(byte[] into) {
        System.arraycopy(ByteBufUtil.getBytes(first, 0, PIECE), 0, into, 0, PIECE);
        System.arraycopy(ByteBufUtil.getBytes(second, 0, PIECE), 0, into, PIECE, PIECE);
    }
}
