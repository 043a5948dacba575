package io.iwarp.simulation;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Knows each buffer that was not released, and has no memory left when the dice say so. A released buffer is filled
 * with rubbish, so that a later use is found.
 */
final class SimulatedAllocator extends AbstractByteBufAllocator {
    private static final long RUBBISH = 0xdbdb_dbdb_dbdb_dbdbL;
    private static final int SIZES = 32;
    private static final List<List<ByteBuffer>> MEMORY = new ArrayList<>();

    static {
        for (int i = 0; i < SIZES; i++) {
            MEMORY.add(new ArrayList<>());
        }
    }

    private final World world;
    private final int failurePermille;
    private final Set<ByteBuf> live = new LinkedHashSet<>();
    private final List<Throwable> places = new ArrayList<>();
    private int failures;
    private boolean failing = true;
    private boolean exhausted;
    private long bytesLeft = Long.MAX_VALUE;
    private long exhaustion;

    SimulatedAllocator(World world, int failurePermille) {
        super(true);
        this.world = world;
        this.failurePermille = failurePermille;
    }

    int failures() {
        return failures;
    }

    /** There is no memory for a while. */
    void exhaust(long nanos) {
        exhausted = true;
        world.after(nanos, "memory again", () -> exhausted = false);
    }

    /** So many bytes may be taken, then there is no memory for a while. */
    void exhaustAfter(long bytes, long nanos) {
        bytesLeft = bytes;
        exhaustion = nanos;
    }

    /** There is memory again, for good. */
    void heal() {
        failing = false;
    }

    int live() {
        return live.size();
    }

    /** Returns the capacity of all buffers that were not released. */
    long liveBytes() {
        long bytes = 0;
        for (ByteBuf buffer : live) {
            bytes += buffer.capacity();
        }
        return bytes;
    }

    /** Returns the buffers that were not released, and where they were taken if the run is traced. */
    String describeLive() {
        StringBuilder text = new StringBuilder();
        for (ByteBuf buffer : live) {
            text.append(' ').append(buffer);
        }
        for (Throwable place : places) {
            if (live.contains(((Place) place).buffer)) {
                text.append("\n    taken at");
                Arrays.stream(place.getStackTrace())
                        .filter(frame -> frame.getClassName().startsWith("io."))
                        .limit(24)
                        .forEach(frame -> text.append("\n        ").append(frame));
            }
        }
        return text.toString();
    }

    private static final class Place extends Throwable {
        private static final long serialVersionUID = 1;
        private final transient @Nullable ByteBuf buffer;

        Place(ByteBuf buffer) {
            this.buffer = buffer;
        }
    }

    private void mayFail(int bytes) {
        bytesLeft -= bytes;
        if (bytesLeft < 0) {
            bytesLeft = Long.MAX_VALUE;
            exhaust(exhaustion);
        }
        if (failing && (exhausted || world.dice.permille(failurePermille))) {
            failures++;
            world.trace().add(world, "no memory", bytes);
            throw new OutOfMemoryError("simulated");
        }
    }

    private <T extends ByteBuf> T taken(T buffer) {
        live.add(buffer);
        if (world.trace().on()) {
            places.add(new Place(buffer));
        }
        return buffer;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        mayFail(initialCapacity);
        return taken(new Heap(initialCapacity, maxCapacity));
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        mayFail(initialCapacity);
        ByteBuffer memory = memory(initialCapacity);
        return taken(new Direct(memory, initialCapacity, maxCapacity));
    }

    private static int sizeClass(int bytes) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(16, bytes) - 1);
    }

    private static ByteBuffer memory(int bytes) {
        int size = sizeClass(bytes);
        List<ByteBuffer> free = MEMORY.get(size);
        return free.isEmpty() ? ByteBuffer.allocateDirect(1 << size) : free.remove(free.size() - 1);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    private final class Heap extends UnpooledHeapByteBuf {
        Heap(int initialCapacity, int maxCapacity) {
            super(SimulatedAllocator.this, initialCapacity, maxCapacity);
        }

        @Override
        protected void deallocate() {
            live.remove(this);
            super.deallocate();
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private final class Direct extends UnpooledDirectByteBuf {
        private final ByteBuffer memory;

        Direct(ByteBuffer memory, int capacity, int maxCapacity) {
            super(SimulatedAllocator.this, memory.slice(0, capacity), maxCapacity);
            this.memory = memory;
            clear();
        }

        @Override
        public ByteBuf capacity(int newCapacity) {
            if (newCapacity > capacity()) {
                mayFail(newCapacity);
            }
            return super.capacity(newCapacity);
        }

        @Override
        protected void deallocate() {
            live.remove(this);
            super.deallocate();
            for (int i = 0; i < memory.capacity(); i += Long.BYTES) {
                memory.putLong(i, RUBBISH);
            }
            MEMORY.get(sizeClass(memory.capacity())).add(memory);
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }
}
