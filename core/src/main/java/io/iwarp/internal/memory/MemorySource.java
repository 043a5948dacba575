package io.iwarp.internal.memory;

import io.iwarp.memory.RegionBuilder;
import io.iwarp.memory.ResourceLimitException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Where a {@link RegionBuilder} takes the memory of its regions from. Immutable. */
sealed interface MemorySource {
    /** Returns the number of bytes of each region, at least 1. */
    long length();

    /** Returns whether peers can only read the memory. */
    boolean isReadOnly();

    /** Returns the memory of a new region, to be closed by the caller. Holds nothing if it throws. */
    TaggedMemory acquire();

    /** Buffers of the application. */
    record Buffers(List<ByteBuf> buffers) implements MemorySource {
        public Buffers(List<ByteBuf> buffers) {
            this.buffers = List.copyOf(buffers);
            if (this.buffers.isEmpty()) {
                throw new IllegalArgumentException("a region needs memory; pass at least one buffer");
            }
            this.buffers.forEach(RegionMemory::requireUsable);
        }

        @Override
        public long length() {
            long length = 0;
            for (ByteBuf buffer : buffers) {
                RegionMemory.requireUsable(buffer);
                length += buffer.capacity();
            }
            return length;
        }

        @Override
        public boolean isReadOnly() {
            return buffers.stream().anyMatch(ByteBuf::isReadOnly);
        }

        @Override
        public TaggedMemory acquire() {
            return RegionMemory.over(buffers);
        }
    }

    /**
     * Memory that is allocated for each region.
     *
     * @param maxPiece the maximum number of bytes of a buffer
     */
    record Allocation(ByteBufAllocator allocator, long length, int maxPiece) implements MemorySource {
        public Allocation {
            Objects.requireNonNull(allocator, "allocator");
            requireNotEmpty(length);
        }

        @Override
        public boolean isReadOnly() {
            return false;
        }

        @Override
        public TaggedMemory acquire() {
            long limit = PlatformDependent.maxDirectMemory();
            if (length > limit) {
                throw new ResourceLimitException(
                        "cannot allocate " + length + " bytes: the JVM allows " + limit
                                + " bytes of direct memory; raise it with -XX:MaxDirectMemorySize",
                        "-XX:MaxDirectMemorySize",
                        limit);
            }
            List<ByteBuf> pieces = new ArrayList<>();
            try {
                for (long remaining = length; remaining > 0; remaining -= maxPiece) {
                    pieces.add(allocateZeroed(allocator, (int) Math.min(remaining, maxPiece)));
                }
                return new RegionMemory(pieces);
            } catch (Throwable e) {
                pieces.forEach(ByteBuf::release);
                throw e;
            }
        }

        private static ByteBuf allocateZeroed(ByteBufAllocator allocator, int length) {
            ByteBuf buffer = allocator.directBuffer(length, length);
            if (misalignment(buffer) != 0) {
                buffer.release();
                ByteBuf roomy =
                        allocator.directBuffer(length + AtomicOperation.LENGTH, length + AtomicOperation.LENGTH);
                buffer = roomy.slice(AtomicOperation.LENGTH - misalignment(roomy), length);
            }
            return buffer.setZero(0, length);
        }

        private static int misalignment(ByteBuf buffer) {
            return buffer.nioBuffer(0, 1).alignmentOffset(0, AtomicOperation.LENGTH);
        }
    }

    /** Part of a file, which is opened for each region. */
    record FilePart(Path file, long position, long length) implements MemorySource {
        public FilePart {
            Objects.requireNonNull(file, "file");
            requireNotEmpty(length);
            if (position < 0) {
                throw new IllegalArgumentException("a position in a file is at least 0, not " + position);
            }
        }

        @Override
        public boolean isReadOnly() {
            return true;
        }

        @Override
        public TaggedMemory acquire() {
            return FileMemory.open(file, position, length);
        }
    }

    private static void requireNotEmpty(long length) {
        if (length < 1) {
            throw new IllegalArgumentException("a region has at least 1 byte, not " + length);
        }
    }
}
