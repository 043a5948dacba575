package io.iwarp.soak;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * The memory in use at a moment.
 *
 * @param heap bytes of live objects, after a full collection
 * @param direct bytes of direct buffers that Netty's default allocators have given out
 */
record Usage(long heap, long direct) {
    private static final int COLLECTIONS = 3;

    static {
        if (ByteBufAllocator.DEFAULT != PooledByteBufAllocator.DEFAULT) {
            throw new IllegalStateException("run with -Dio.netty.allocator.type=pooled, whose buffers can be counted");
        }
    }

    static Usage now() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        long pinned = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
        long unpooled = UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
        return new Usage(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), pinned + unpooled);
    }

    /** Returns the growth since an earlier moment, for each of so many connections, heap and direct. */
    String since(Usage before, int connections) {
        return String.format(
                Locale.ROOT, "%,8d %,8d", (heap - before.heap) / connections, (direct - before.direct) / connections);
    }
}
