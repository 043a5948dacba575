package io.iwarp.tools;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Direct buffers of one size, allocated when first needed and kept. How many there are at most is what its user bounds.
 * Any thread may call any method.
 */
final class BufferPool implements AutoCloseable {
    private final int length;
    private final Deque<ByteBuf> idle = new ArrayDeque<>();
    private boolean closed;

    /**
     * @param length of each buffer in bytes
     */
    BufferPool(int length) {
        this.length = length;
    }

    /** Returns a buffer whose bytes are all zero; give it back with {@link #giveBack}. */
    synchronized ByteBuf take() {
        ByteBuf buffer = idle.poll();
        if (buffer == null) {
            buffer = ByteBufAllocator.DEFAULT.directBuffer(length, length);
        }
        return buffer.setZero(0, length);
    }

    /** Takes a buffer back, to which nobody may have access any more: its region must be closed. */
    synchronized void giveBack(ByteBuf buffer) {
        if (closed) {
            buffer.release();
        } else {
            idle.push(buffer);
        }
    }

    /** Releases what is idle, and later what is given back. */
    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(ByteBuf::release);
        idle.clear();
    }
}
