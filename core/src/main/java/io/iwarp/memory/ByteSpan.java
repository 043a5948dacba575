package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A run of bytes that lie in part of a buffer or in part of a registered region, under one offset from 0 to
 * {@link #length}. A span is mutable so that it can be filled again and again without allocation; a new span is empty.
 *
 * <p>A span holds no reference to what it covers unless it is told to with {@link #retain}: whoever fills it says who
 * keeps the buffer or region alive. Once the region is closed, nothing can be put through the span; bytes can be got
 * from it as long as somebody retains it.
 *
 * <p>The span object belongs to one thread. Over a region, {@link #put} and {@link #get} may run while other threads
 * copy to and from the same region; over a buffer, they are as safe as the buffer's own methods.
 */
public final class ByteSpan {
    private @Nullable ByteBuf buffer;
    private @Nullable RegionMemory memory;
    /** Where the span begins: an index of the buffer, or an offset in the memory. */
    private long origin;

    private long length;

    /** A span of no bytes. */
    public ByteSpan() {}

    /**
     * Covers part of a buffer.
     *
     * @param buffer the buffer, heap or direct; not retained
     * @param index the index of the first byte in the buffer
     * @param length the number of bytes, at least 0; all must be within the buffer's capacity
     * @return this span
     * @throws IndexOutOfBoundsException if they are not within the buffer
     */
    public ByteSpan wrap(ByteBuf buffer, int index, int length) {
        Objects.checkFromIndexSize(index, length, buffer.capacity());
        this.buffer = buffer;
        this.memory = null;
        this.origin = index;
        this.length = length;
        return this;
    }

    /**
     * Covers part of a region, whose rights do not matter here: the span is for local use.
     *
     * @param region a region that is not closed; the span does not keep it open
     * @param offset the offset of the first byte, counted from the first byte of the region
     * @param length the number of bytes, at least 0; all must be within the region
     * @return this span
     * @throws IndexOutOfBoundsException if they are not within the region
     * @throws RegistrationEndedException if the region was closed
     */
    public ByteSpan wrap(MemoryRegion region, long offset, long length) {
        return wrap(region.memory(), offset, length);
    }

    private ByteSpan wrap(RegionMemory memory, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, memory.length());
        this.buffer = null;
        this.memory = memory;
        this.origin = offset;
        this.length = length;
        return this;
    }

    /**
     * Covers part of a buffer without any check, so that this cannot fail. Whoever calls it has checked the range before; a
     * range that is not within the buffer any more fails when bytes are copied.
     *
     * @param buffer the buffer, heap or direct; not retained
     * @param index the index of the first byte in the buffer
     * @param length the number of bytes
     */
    public void cover(ByteBuf buffer, int index, int length) {
        this.buffer = buffer;
        this.memory = null;
        this.origin = index;
        this.length = length;
    }

    /**
     * Covers part of a region without any check, so that this cannot fail. Call it after {@link #retain(MemoryRegion, long,
     * long)}; it does not matter whether the region was closed since.
     *
     * @param offset the offset of the first byte, counted from the first byte of the region
     * @param length the number of bytes
     */
    public void cover(MemoryRegion region, long offset, long length) {
        this.buffer = null;
        this.memory = region.memoryEvenIfClosed();
        this.origin = offset;
        this.length = length;
    }

    /**
     * Takes a reference to the memory of a region for a span that is going to {@linkplain #cover(MemoryRegion, long, long)
     * cover} part of it. It needs one {@link #release()} of such a span, or one {@link #release(MemoryRegion)}.
     *
     * @param offset the offset of the first byte, counted from the first byte of the region
     * @param length the number of bytes, at least 0; all must be within the region
     * @throws IndexOutOfBoundsException if they are not within the region
     * @throws RegistrationEndedException if the region was closed
     */
    public static void retain(MemoryRegion region, long offset, long length) {
        RegionMemory memory = region.memory();
        Objects.checkFromIndexSize(offset, length, memory.length());
        requireOpen(memory.retain());
    }

    /** Gives a reference back that was taken with {@link #retain(MemoryRegion, long, long)}. */
    public static void release(MemoryRegion region) {
        region.memoryEvenIfClosed().release();
    }

    /** Makes the span cover nothing, so that it keeps nothing from being collected. */
    public void clear() {
        buffer = null;
        memory = null;
        origin = 0;
        length = 0;
    }

    /**
     * Takes a reference to the buffer or region that the span covers now, so that its memory stays. Every call needs one
     * {@link #release}, on this span or on another that covers the same buffer or region.
     *
     * @return this span
     * @throws IllegalStateException if the buffer was released or the region was closed
     */
    public ByteSpan retain() {
        if (memory != null) {
            requireOpen(memory.retain());
        } else if (buffer != null) {
            buffer.retain();
        }
        return this;
    }

    /** Gives a reference back that was taken with {@link #retain}; call it before the span is filled or cleared. */
    public void release() {
        if (memory != null) {
            memory.release();
        } else if (buffer != null) {
            buffer.release();
        }
    }

    /** {@return the buffer that the span covers a part of, not retained; null if it covers a region or nothing} */
    public @Nullable ByteBuf buffer() {
        return buffer;
    }

    /** The number of bytes, at least 0. */
    public long length() {
        return length;
    }

    /**
     * Copies bytes into the span.
     *
     * @param offset where to, counted from the first byte of the span
     * @param src where from; belongs to the calling thread, is neither released nor retained, keeps its indexes
     * @param srcIndex the index of the first byte in {@code src}
     * @param count the number of bytes; a range that is not within the span is refused with
     *     {@link IndexOutOfBoundsException} before a byte is changed
     * @throws IllegalStateException if the span covers a region that was closed; then nothing was changed
     */
    public void put(long offset, ByteBuf src, int srcIndex, int count) {
        Objects.checkFromIndexSize(offset, count, length);
        RegionMemory region = memory;
        if (region != null) {
            requireOpen(region.put(origin + offset, src, srcIndex, count));
        } else if (buffer != null) {
            ByteCopy.copy(src, srcIndex, buffer, (int) (origin + offset), count);
        }
    }

    /**
     * Copies bytes out of the span.
     *
     * @param offset where from, counted from the first byte of the span
     * @param dst where to; belongs to the calling thread, is neither released nor retained, keeps its indexes
     * @param dstIndex the index of the first byte in {@code dst}
     * @param count the number of bytes; a range that is not within the span is refused with
     *     {@link IndexOutOfBoundsException} before a byte is copied
     * @throws IllegalStateException if the span covers a region that was closed and is not retained
     */
    public void get(long offset, ByteBuf dst, int dstIndex, int count) {
        Objects.checkFromIndexSize(offset, count, length);
        RegionMemory region = memory;
        if (region != null) {
            requireOpen(region.get(origin + offset, dst, dstIndex, count));
        } else if (buffer != null) {
            ByteCopy.copy(buffer, (int) (origin + offset), dst, dstIndex, count);
        }
    }

    /**
     * The buffer that holds a byte of the span. Together with {@link #indexAt} and {@link #contiguousAt} this gives
     * the bytes without a copy.
     *
     * @param offset the offset of the byte in the span, at least 0 and less than {@link #length}
     * @return the buffer, not retained: retain it if it is used after the span's owner may let go of it
     * @throws IllegalStateException if the span covers a region that was closed and is not retained
     */
    public ByteBuf bufferAt(long offset) {
        Objects.checkIndex(offset, length);
        RegionMemory region = memory;
        if (region == null) {
            return Objects.requireNonNull(buffer);
        }
        requireOpen(!region.isReleased());
        return region.buffer(region.pieceAt(origin + offset));
    }

    /**
     * The index, in the buffer that holds it, of a byte of the span.
     *
     * @param offset the offset of the byte in the span, at least 0 and less than {@link #length}
     */
    public int indexAt(long offset) {
        Objects.checkIndex(offset, length);
        RegionMemory region = memory;
        long at = origin + offset;
        return (int) (region == null ? at : at - region.start(region.pieceAt(at)));
    }

    /**
     * How many bytes of the span lie in one piece from this one on.
     *
     * @param offset the offset of the byte in the span, at least 0 and less than {@link #length}
     * @return the number of bytes, counting this one, at least 1
     */
    public int contiguousAt(long offset) {
        Objects.checkIndex(offset, length);
        RegionMemory region = memory;
        long left = length - offset;
        if (region == null) {
            return (int) left;
        }
        long at = origin + offset;
        int piece = region.pieceAt(at);
        return (int) Math.min(left, region.start(piece) + region.capacity(piece) - at);
    }

    /** Length and kind; the bytes themselves do not appear. */
    @Override
    public String toString() {
        String covered = memory != null ? "a region" : buffer != null ? buffer.toString() : "nothing";
        return "ByteSpan[" + length + " bytes of " + covered + ']';
    }

    private static void requireOpen(boolean open) {
        if (!open) {
            throw new IllegalStateException(
                    "the region that this span covers was closed; keep it open until its last use has completed");
        }
    }
}
