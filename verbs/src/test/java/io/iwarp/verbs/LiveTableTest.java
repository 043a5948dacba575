package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Effort;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Numbers that this side changes while they are read. Each consists of four equal parts, so part of one is seen. */
@Timeout(60)
class LiveTableTest {
    private static final int NUMBERS = 16_384;
    private static final int ROUNDS = Effort.rounds(200);
    private static final long PARTS = 0x0001_0001_0001_0001L;

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion table = domain.allocate(NUMBERS * 8L, AccessRight.REMOTE_READ);
    private volatile boolean over;
    private final FutureTask<Void> changes = new FutureTask<>(this::change, null);

    @BeforeEach
    void begin() {
        Thread thread = new Thread(changes);
        thread.setDaemon(true);
        thread.start();
    }

    @AfterEach
    void release() throws Exception {
        over = true;
        changes.get();
        loopback.close();
        table.close();
        domain.close();
    }

    private void change() {
        for (long n = 0; !over; n++) {
            for (int i = 0; i < NUMBERS; i++) {
                table.setVolatile(i * 8L, (n + i & 0xffff) * PARTS);
            }
        }
    }

    private static void requireWhole(long number) {
        if (number != (number & 0xffff) * PARTS) {
            throw new AssertionError(String.format("0x%016x was read in parts", number));
        }
    }

    /** From an odd offset, so that the numbers lie where segments and copies would split them. */
    @Test
    void aPeerReadsEachNumberWhole() throws Exception {
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        QueuePair reader = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        int length = NUMBERS * 8 - 3;
        ByteBuf sink = Unpooled.directBuffer(length, length);
        for (int round = 0; round < ROUNDS; round++) {
            await(reader.read(sink.clear(), table.remoteBuffer(3, length)));
            for (int at = 5; at < length; at += 8) {
                requireWhole(number(sink, at));
            }
        }
        sink.release();
    }

    private static long number(ByteBuf bytes, int index) {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? bytes.getLongLE(index) : bytes.getLong(index);
    }

    @Test
    void thisSideReadsAndCopiesEachNumberWhole() {
        long[] numbers = new long[NUMBERS];
        ByteBuf direct = Unpooled.directBuffer(NUMBERS * 8 + 1);
        ByteBuf heap = Unpooled.buffer(NUMBERS * 8);
        for (int round = 0; round < ROUNDS; round++) {
            table.getLongs(0, numbers);
            table.getBytes(0, direct.setIndex(1, 1), NUMBERS * 8);
            table.getBytes(0, heap.clear(), NUMBERS * 8);
            for (int i = 0; i < NUMBERS; i++) {
                requireWhole(numbers[i]);
                requireWhole(number(direct, 1 + i * 8));
                requireWhole(number(heap, i * 8));
            }
        }
        direct.release();
    }
}
