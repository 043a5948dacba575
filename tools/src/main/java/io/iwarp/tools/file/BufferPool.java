package io.iwarp.tools.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A pool of direct buffers of one size, allocated on demand and kept. The user bounds their number. Thread-safe.
 */
final class BufferPool implements AutoCloseable {
    private final int length;
    private final Deque<ByteBuf> idle = new ArrayDeque<>();
    private boolean closed;

    /**
     * @param length the length of each buffer in bytes
     */
    BufferPool(int length) {
        this.length = length;
    }

    /** Returns a zeroed buffer. Return it with {@link #giveBack}. */
    synchronized ByteBuf take() {
        ByteBuf buffer = idle.poll();
        if (buffer == null) {
            buffer = ByteBufAllocator.DEFAULT.directBuffer(length, length);
        }
        return buffer.setZero(0, length);
    }

    /** Returns a buffer to the pool. Close its region first, so that nobody can access it. */
    synchronized void giveBack(ByteBuf buffer) {
        if (closed) {
            buffer.release();
        } else {
            idle.push(buffer);
        }
    }

    /** Releases the idle buffers, and the others when they are returned. */
    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(ByteBuf::release);
        idle.clear();
    }
}
