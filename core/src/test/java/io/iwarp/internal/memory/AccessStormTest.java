package io.iwarp.internal.memory;

import static io.iwarp.memory.AccessRight.REMOTE_ATOMIC;
import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Effort;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All ways to take an STag back, against Writes, Reads and atomics that continue in other threads. */
@Timeout(120)
@SuppressWarnings("ThreadPriorityCheck") // there are more threads than cores, and each waits for the others
class AccessStormTest {
    /** Each way to invalidate is tried against each kind of access several times. */
    private static final int ROUNDS = Effort.rounds(150);

    private static final long WAIT_NANOS = 10_000;
    private static final int LENGTH = 16 * 1024;
    /** The window leaves out the ends of the region. */
    private static final int MARGIN = 64;

    private static final int WINDOW = LENGTH - 2 * MARGIN;
    private static final AccessRight[] ALL_REMOTE = {REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};
    /** What the application writes once the STag is gone; no peer ever writes it, and none may read it. */
    private static final byte SECRET = (byte) 0xEE;

    private static final int KINDS = 3;

    private final ByteBuf memory = PooledByteBufAllocator.DEFAULT.directBuffer(LENGTH, LENGTH);
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final ExecutorService threads = Executors.newFixedThreadPool(KINDS);
    private final AtomicIntegerArray successes = new AtomicIntegerArray(KINDS);
    private final AtomicIntegerArray refusals = new AtomicIntegerArray(KINDS);
    private final List<Future<?>> peers = new ArrayList<>();
    private volatile TaggedBuffer target;
    private volatile boolean over;

    @AfterEach
    void close() {
        threads.shutdownNow();
        stream.close();
        domain.close();
        assertThat(memory.refCnt()).isOne();
        memory.release();
    }

    /** One access of a peer; false when it was refused. */
    private interface Access {
        boolean attempt(TaggedBuffer buffer);
    }

    private static ByteBuf unwatched() {
        return Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(WINDOW));
    }

    private void peer(int kind, Access access) {
        peers.add(threads.submit(() -> {
            while (!over) {
                TaggedBuffer buffer = target;
                if (buffer != null && access.attempt(buffer)) {
                    successes.incrementAndGet(kind);
                } else {
                    refusals.incrementAndGet(kind);
                    Thread.yield();
                }
            }
        }));
    }

    private void startPeers() {
        ByteBuf payload = unwatched();
        peer(0, buffer -> {
            payload.setByte((successes.get(0) * 64) % WINDOW, successes.get(0) & 0x7f);
            return buffer.place(buffer.baseTaggedOffset(), payload, 0, WINDOW);
        });
        ByteBuf response = unwatched();
        peer(1, buffer -> {
            boolean read = buffer.fetch(buffer.baseTaggedOffset(), response, 0, WINDOW);
            for (int at = 0; read && at < WINDOW; at += 8) {
                if (response.getByte(at) == SECRET) {
                    throw new AssertionError("byte " + at + " was read after the STag was invalidated");
                }
            }
            return read;
        });
        AtomicOperation operation = new AtomicOperation();
        // Fields of 7 bits never become the secret's byte, whose highest bit is set.
        long fields = 0x4040_4040_4040_4040L;
        peer(2, buffer -> buffer.execute(buffer.baseTaggedOffset() + 8, operation.fetchAdd(1, fields)));
    }

    private void awaitRise(AtomicIntegerArray counts, int kind, int from) throws InterruptedException {
        while (counts.get(kind) == from) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            for (Future<?> peer : peers) {
                if (peer.isDone()) {
                    fail("a peer gave up: " + peer);
                }
            }
            LockSupport.parkNanos(WAIT_NANOS);
        }
    }

    /** The ways to invalidate the STag of a window. */
    private void revoke(int way, MemoryRegion region, MemoryWindow window) {
        switch (way) {
            case 0 -> window.invalidate();
            case 1 -> region.invalidate();
            case 2 -> region.close();
            case 3 -> assertThat(stream.invalidate(window.stag())).isEqualTo(InvalidationVerdict.INVALIDATED);
            default -> assertThat(stream.invalidate(region.stag())).isEqualTo(InvalidationVerdict.INVALIDATED);
        }
    }

    @Test
    @Requirement({"SEC-6", "RDMAP-39"})
    void invalidatedStagGrantsNoAccess() throws Exception {
        startPeers();
        byte[] secret = new byte[LENGTH];
        Arrays.fill(secret, SECRET);
        for (int i = 0; i < ROUNDS; i++) {
            memory.setZero(0, LENGTH);
            MemoryRegion region =
                    stream.region().buffers(memory).rights(ALL_REMOTE).register();
            MemoryWindow window = region.window(MARGIN, WINDOW)
                    .baseTaggedOffset(i)
                    .rights(ALL_REMOTE)
                    .bind();
            int kind = i % KINDS;
            int before = successes.get(kind);
            target = stream.lookup(window.stag());
            awaitRise(successes, kind, before);
            revoke(i % 5, region, window);
            memory.setBytes(0, secret);
            for (int each = 0; each < KINDS; each++) {
                awaitRise(refusals, each, refusals.get(each));
            }
            assertThat(ByteBufUtil.getBytes(memory, 0, LENGTH))
                    .as("round %d", i)
                    .isEqualTo(secret);
            region.close();
        }
        finish();
    }

    @Test
    @Requirement("SEC-6")
    void memoryIsFreedOnlyAfterTheLastAccessThroughAWindow() throws Exception {
        startPeers();
        for (int i = 0; i < ROUNDS; i++) {
            MemoryRegion region = domain.region()
                    .allocate(PooledByteBufAllocator.DEFAULT, LENGTH)
                    .register();
            ByteBuf own = ((DefaultMemoryRegion) region).memory().piece(0);
            MemoryWindow window =
                    region.window(MARGIN, WINDOW).rights(ALL_REMOTE).bind();
            int kind = i % KINDS;
            int before = successes.get(kind);
            target = stream.lookup(window.stag());
            awaitRise(successes, kind, before);
            region.close();
            assertThat(own.refCnt()).isZero();
        }
        finish();
    }

    private void finish() throws Exception {
        over = true;
        for (Future<?> peer : peers) {
            peer.get();
        }
    }
}
