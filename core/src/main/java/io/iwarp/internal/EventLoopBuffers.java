package io.iwarp.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.jspecify.annotations.Nullable;

/**
 * A few large buffers for each event loop, which are used again while their bytes are in the processor's caches. An
 * allocator that serves many threads hands out other memory each time, which is cold, and has to be cleared by the JVM when
 * it is new: that took a fifth of the time of a receiver.
 *
 * <p>A buffer is free when nobody but this object refers to it, so it may be retained, sliced and released like any other.
 * Only threads that clean up behind themselves keep buffers; they release them at their end.
 *
 * <p>Any thread may use it.
 */
public final class EventLoopBuffers {
    private final int capacity;
    private final FastThreadLocal<@Nullable ByteBuf[]> kept;

    /**
     * @param capacity of each buffer, in bytes
     * @param count how many an event loop keeps; they are made when they are first needed
     */
    public EventLoopBuffers(int capacity, int count) {
        this.capacity = capacity;
        this.kept = new FastThreadLocal<>() {
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
     * {@return an empty direct buffer that the caller has to release; one of the allocator's own if all of this thread are
     * in use or too small, or it keeps none}
     *
     * @param allocator makes it, unless one is there
     * @param bytes its least capacity; a buffer of the allocator's own has no more, and may grow to that of the others
     */
    public ByteBuf take(ByteBufAllocator allocator, int bytes) {
        ByteBuf buffer = bytes <= capacity ? tryTake(allocator) : null;
        return buffer == null ? allocator.directBuffer(bytes, Math.max(bytes, capacity)) : buffer;
    }

    /**
     * {@return an empty direct buffer that the caller has to release; or null if all of this thread are in use, or it keeps
     * none}
     *
     * @param allocator makes it, unless one is there
     */
    public @Nullable ByteBuf tryTake(ByteBufAllocator allocator) {
        if (!FastThreadLocalThread.currentThreadWillCleanupFastThreadLocals()) {
            return null;
        }
        @Nullable ByteBuf[] buffers = kept.get();
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
