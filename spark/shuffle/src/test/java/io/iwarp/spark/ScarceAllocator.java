package io.iwarp.spark;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.OutOfDirectMemoryError;
import java.lang.reflect.Constructor;
import org.jspecify.annotations.Nullable;

/** An allocator that a test can exhaust, and that shows its first direct buffer. */
final class ScarceAllocator extends AbstractByteBufAllocator {
    private final ByteBufAllocator memory;
    volatile boolean exhausted;
    volatile @Nullable ByteBuf first;

    ScarceAllocator(ByteBufAllocator memory) {
        this.memory = memory;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return memory.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        if (exhausted) {
            throw outOfMemory();
        }
        ByteBuf buffer = memory.directBuffer(initialCapacity, maxCapacity);
        if (first == null) {
            first = buffer;
        }
        return buffer;
    }

    /** Only Netty can create this error. */
    private static OutOfDirectMemoryError outOfMemory() {
        try {
            Constructor<OutOfDirectMemoryError> constructor =
                    OutOfDirectMemoryError.class.getDeclaredConstructor(String.class);
            constructor.setAccessible(true);
            return constructor.newInstance("the test has exhausted it");
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("Netty has no such error", e);
        }
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
