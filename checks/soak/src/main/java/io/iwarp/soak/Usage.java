package io.iwarp.soak;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Locale;

/**
 * The memory in use at a moment.
 *
 * @param heap bytes of objects after a collection
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
        return new Usage(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), directNow());
    }

    /** Returns the memory in use without a collection: the heap as the last one left it, which is more. */
    static Usage sample() {
        long heap = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage afterCollection = pool.getCollectionUsage();
            if (pool.getType() == MemoryType.HEAP && afterCollection != null) {
                heap += afterCollection.getUsed();
            }
        }
        return new Usage(heap, directNow());
    }

    private static long directNow() {
        long pinned = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
        return pinned + UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    /** Returns the growth since an earlier moment, for each of so many connections, heap and direct. */
    String since(Usage before, int connections) {
        return String.format(
                Locale.ROOT, "%,8d %,8d", (heap - before.heap) / connections, (direct - before.direct) / connections);
    }
}
