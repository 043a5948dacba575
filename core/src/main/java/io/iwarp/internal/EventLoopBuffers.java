package io.iwarp.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.jspecify.annotations.Nullable;

/**
 * A few large buffers for each event loop, which are reused while their bytes are in the processor's caches. An
 * allocator for many threads returns different memory each time. That memory is cold, and the JVM must clear it if it
 * is new, which accounted for 20% of a receiver's CPU time. {@code EventLoopBuffersBenchmark} compares both.
 *
 * <p>A buffer is available when its {@code refCnt()} is 1; callers may retain, slice and release it as usual. Only
 * threads that clean up their {@link FastThreadLocal}s cache buffers, and release them when they terminate.
 *
 * <p>Thread-safe.
 */
public final class EventLoopBuffers {
    private final int capacity;
    private final FastThreadLocal<@Nullable ByteBuf[]> threadBuffers;

    /**
     * Creates the buffers of all event loops, which are allocated when they are first used.
     *
     * @param capacity the capacity of each buffer, in bytes
     * @param count the number of buffers of an event loop
     */
    public EventLoopBuffers(int capacity, int count) {
        this.capacity = capacity;
        this.threadBuffers = new FastThreadLocal<>() {
            @Override
            protected @Nullable ByteBuf[] initialValue() {
                return new ByteBuf[count];
            }

            @Override
            protected void onRemoval(@Nullable ByteBuf[] buffers) {
                for (ByteBuf buffer : buffers) {
                    if (buffer != null) {
                        buffer.release();
                    }
                }
            }
        };
    }

    /**
     * Returns an empty direct buffer that the caller has to release; a newly allocated one if all of this thread's
     * buffers are in use or too small, or if this thread keeps none.
     *
     * @param allocator allocates new buffers
     * @param bytes the minimum capacity; a new buffer has this capacity and may grow to that of the others
     */
    public ByteBuf take(ByteBufAllocator allocator, int bytes) {
        ByteBuf buffer = bytes <= capacity ? tryTake(allocator) : null;
        return buffer == null ? allocator.directBuffer(bytes, Math.max(bytes, capacity)) : buffer;
    }

    /**
     * Returns an empty direct buffer that the caller has to release; null if all of this thread's buffers are in use,
     * or if this thread keeps none.
     *
     * @param allocator allocates the buffers of the thread
     */
    public @Nullable ByteBuf tryTake(ByteBufAllocator allocator) {
        if (!FastThreadLocalThread.currentThreadWillCleanupFastThreadLocals()) {
            return null;
        }
        @Nullable ByteBuf[] buffers = threadBuffers.get();
        for (int i = 0; i < buffers.length; i++) {
            ByteBuf buffer = buffers[i];
            if (buffer == null) {
                buffer = allocator.directBuffer(capacity, capacity);
                buffers[i] = buffer;
                return buffer.retain();
            }
            if (buffer.refCnt() == 1) {
                return buffer.clear().retain();
            }
        }
        return null;
    }
}
