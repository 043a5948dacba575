package io.iwarp.ddp;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** An allocator that runs out of direct memory after a number of buffers. */
final class ShortOfMemory extends AbstractByteBufAllocator {
    /** How many direct buffers are left. */
    int left = Integer.MAX_VALUE;

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        if (left == 0) {
            throw new OutOfMemoryError("no direct memory is left, says the test");
        }
        left--;
        return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
