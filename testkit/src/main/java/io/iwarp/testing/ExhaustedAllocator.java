package io.iwarp.testing;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;

/** An allocator that has no memory left. */
public final class ExhaustedAllocator extends AbstractByteBufAllocator {
    /** Creates an allocator that prefers direct buffers. */
    public ExhaustedAllocator() {
        super(true);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        throw new OutOfMemoryError("no memory is left");
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        throw new OutOfMemoryError("no direct memory is left");
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
