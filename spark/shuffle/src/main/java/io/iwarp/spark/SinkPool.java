package io.iwarp.spark;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory for the responses of Reads. A sink is a slice of a slab; a slab is used again when all its sinks
 * were released. A large sink has its own slab.
 *
 * <p>The pool of the library keeps its slabs until it is closed, and closes only when all sinks were released. An
 * executor releases memory after a job, and ends while Spark still uses some of the responses.
 *
 * <p>Any thread may call any method.
 */
final class SinkPool implements AutoCloseable {
    static final int SLAB_LENGTH = 4 << 20;

    private static final int MAX_PART = SLAB_LENGTH / 4;
    private static final int MAX_FREE = 4;
    /** The length of a cache line: two sinks share none. */
    private static final int ALIGNMENT = 64;

    private final ProtectionDomain domain;
    private final ByteBufAllocator allocator;
    // This guards all of the following, and the fields of slabs.
    private final ArrayDeque<Slab> free = new ArrayDeque<>();
    private @Nullable Slab current;
    private long bytesInUse;
    private long slabBytes;
    private boolean closed;

    private static final class Slab {
        private final ByteBuf memory;
        private final MemoryRegion region;
        private int used;
        private int sinks;

        Slab(ByteBuf memory, MemoryRegion region) {
            this.memory = memory;
            this.region = region;
        }
    }

    SinkPool(ProtectionDomain domain, ByteBufAllocator allocator) {
        this.domain = domain;
        this.allocator = allocator;
    }

    /**
     * Returns memory for one Read.
     *
     * @throws io.netty.util.internal.OutOfDirectMemoryError if there is no direct memory; nothing was taken then
     */
    synchronized Sink take(int length) {
        Slab slab;
        int offset = 0;
        if (length > MAX_PART) {
            slab = allocate(length);
        } else {
            slab = current;
            if (slab == null || SLAB_LENGTH - slab.used < length) {
                slab = free.isEmpty() ? allocate(SLAB_LENGTH) : free.pop();
                retireCurrent();
                current = slab;
            }
            offset = slab.used;
            slab.used = Math.min(SLAB_LENGTH, (offset + length + ALIGNMENT - 1) & -ALIGNMENT);
        }
        slab.sinks++;
        bytesInUse += length;
        return new Sink(slab, offset, length);
    }

    /** Returns the bytes of sinks that were not released. */
    synchronized long bytesInUse() {
        return bytesInUse;
    }

    /** Returns the bytes of all slabs, in use or not. */
    synchronized long slabBytes() {
        return slabBytes;
    }

    private void retireCurrent() {
        Slab slab = current;
        current = null;
        if (slab != null && slab.sinks == 0) {
            recycle(slab);
        }
    }

    private Slab allocate(int length) {
        ByteBuf memory = allocator.directBuffer(length, length);
        try {
            Slab slab = new Slab(memory, domain.register(memory, AccessRight.LOCAL_WRITE));
            slabBytes += length;
            return slab;
        } catch (RuntimeException | Error e) {
            memory.release();
            throw e;
        }
    }

    private void close(Slab slab) {
        slabBytes -= slab.memory.capacity();
        slab.region.close();
        slab.memory.release();
    }

    private synchronized void release(Sink sink) {
        Slab slab = sink.slab;
        slab.sinks--;
        bytesInUse -= sink.length;
        if (slab.sinks == 0 && (slab != current || closed)) {
            recycle(slab);
        }
    }

    private void recycle(Slab slab) {
        if (closed || slab.memory.capacity() != SLAB_LENGTH || free.size() == MAX_FREE) {
            close(slab);
        } else {
            slab.used = 0;
            free.push(slab);
        }
    }

    /** Releases the memory that is not in use, and the rest as soon as it is released. */
    @Override
    public synchronized void close() {
        closed = true;
        free.forEach(this::close);
        free.clear();
        retireCurrent();
    }

    /** Memory for the response of one Read. Its owner releases it once. */
    final class Sink {
        private final Slab slab;
        private final LocalBuffer local;
        private final int offset;
        private final int length;

        private Sink(Slab slab, int offset, int length) {
            this.slab = slab;
            this.offset = offset;
            this.length = length;
            this.local = slab.region.slice(offset, length);
        }

        /** Returns the memory, for the Read. */
        LocalBuffer local() {
            return local;
        }

        int length() {
            return length;
        }

        /** Returns the bytes. They are valid until the sink is released. */
        ByteBuffer nioBuffer() {
            return slab.memory.nioBuffer(offset, length);
        }

        /** Returns the bytes. They are valid until the sink is released. */
        ByteBuf bytes() {
            return Unpooled.wrappedBuffer(nioBuffer());
        }

        void release() {
            SinkPool.this.release(this);
        }
    }
}
