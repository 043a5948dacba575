package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RegionClosedException;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A range of bytes in a buffer or in a registered region, with offsets from 0 to {@link #length}. A span is mutable so
 * that it can be reused without allocation. A new span is empty.
 *
 * <p>A span takes no reference to its buffer or region. The user of the span keeps the memory alive. After the region
 * is closed, nothing can be put through the span. Bytes can be read while the memory is {@linkplain #retain retained}.
 *
 * <p>The span object belongs to one thread. Over a region, {@link #put} and {@link #get} may run while other threads
 * copy to and from the same region; over a buffer, they are as safe as the buffer's own methods.
 */
public final class ByteSpan {
    private @Nullable ByteBuf buffer;
    private @Nullable RegionMemory memory;
    /** Start of the span: an index of the buffer, or an offset in the memory. */
    private long origin;

    private long length;

    /** Creates a span of 0 bytes. */
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
     * Covers part of a buffer without a check, so that this cannot fail. Call it after {@code retain}. If the range is
     * not within the buffer any more, copies fail.
     *
     * @param index the index of the first byte
     */
    public void cover(ByteBuf memory, int index, int length) {
        this.buffer = memory;
        this.memory = null;
        this.origin = index;
        this.length = length;
    }

    /** Covers a piece of a region; see {@link #cover(MemoryRegion, long, long)}. */
    public void cover(LocalBuffer piece) {
        cover(region(piece), offset(piece), piece.length());
    }

    /**
     * Returns the region of a piece. A later version may have pieces of several regions, so the piece has no getter.
     */
    public static MemoryRegion region(LocalBuffer piece) {
        return ((DefaultLocalBuffer) piece).region;
    }

    /** Returns where a piece begins, in bytes from the beginning of its {@link #region}. */
    public static long offset(LocalBuffer piece) {
        return ((DefaultLocalBuffer) piece).offset;
    }

    /**
     * Covers part of a region without a check, so that this cannot fail. Call it after {@code retain}. The region may
     * have been closed since.
     *
     * @param offset where the part begins, in bytes from the beginning of the region
     */
    public void cover(MemoryRegion region, long offset, long length) {
        this.buffer = null;
        this.memory = ((DefaultMemoryRegion) region).memoryUnchecked();
        this.origin = offset;
        this.length = length;
    }

    /**
     * Takes a reference to a buffer, for a span that will {@linkplain #cover(ByteBuf, int, int) cover} it. Release it
     * with one {@link #release()} of that span, or with one release of the buffer.
     *
     * @param name of the argument, for the message
     * @throws IllegalReferenceCountException if the buffer was released
     */
    public static void retain(String name, ByteBuf memory) {
        try {
            memory.retain();
        } catch (IllegalReferenceCountException released) {
            throw new IllegalReferenceCountException(
                    name + " " + memory + " was released: keep a reference until the request is posted", released);
        }
    }

    /**
     * Takes a reference to a region, for a span that will {@linkplain #cover(MemoryRegion, long, long) cover} part of
     * it. Release it with one {@link #release()} of that span, or with one {@link #release(MemoryRegion)}.
     *
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws RegionClosedException if the region was closed
     */
    public static void retain(MemoryRegion region, long offset, long length) {
        DefaultMemoryRegion retained = (DefaultMemoryRegion) region;
        RegionMemory memory = retained.memory();
        DefaultLocalBuffer.requireWithin(offset, length, region.length(), region);
        if (!memory.retain()) {
            throw retained.closedException();
        }
    }

    /** Releases a reference that {@link #retain(MemoryRegion, long, long)} took. */
    public static void release(MemoryRegion region) {
        ((DefaultMemoryRegion) region).memoryUnchecked().release();
    }

    /** Makes the span empty, and clears its references to objects. */
    public void clear() {
        buffer = null;
        memory = null;
        origin = 0;
        length = 0;
    }

    /**
     * Releases a reference to the buffer or region of the span, which its user has taken. Call it before the span is
     * filled again or cleared.
     */
    public void release() {
        if (memory != null) {
            memory.release();
        } else if (buffer != null) {
            buffer.release();
        }
    }

    /** Returns the buffer of the span, not retained; null if it covers a region or nothing. */
    public @Nullable ByteBuf buffer() {
        return buffer;
    }

    /** Returns the number of bytes, at least 0. */
    public long length() {
        return length;
    }

    /**
     * Returns whether a peer may change the bytes at this moment, because the region or a window of it grants
     * {@link AccessRight#REMOTE_WRITE} or {@link AccessRight#REMOTE_ATOMIC}. Copy such bytes before their checksum is
     * computed.
     */
    public boolean peersMayChange() {
        RegionMemory region = memory != null ? memory : regionOf(buffer);
        return region != null && region.peersMayChange();
    }

    /** Returns the memory of which a buffer is a {@link MemoryRegion#buffer} or derived from one. */
    private static @Nullable RegionMemory regionOf(@Nullable ByteBuf derived) {
        for (ByteBuf next = derived; next != null; next = next.unwrap()) {
            if (next instanceof RegionBuffer of) {
                return of.memory;
            }
        }
        return null;
    }

    /**
     * Copies bytes into the span.
     *
     * @param offset the destination, counted from the first byte of the span
     * @param src the source; used by the calling thread only, not released or retained, indexes unchanged
     * @param srcIndex the index of the first byte in {@code src}
     * @param count the number of bytes; a range that is not within the span is refused with
     *     {@link IndexOutOfBoundsException} before a byte is changed
     * @throws IllegalStateException if the span covers a region that was closed; then nothing was changed
     * @throws UnsupportedOperationException if the span covers read-only memory
     */
    public void put(long offset, ByteBuf src, int srcIndex, int count) {
        Objects.checkFromIndexSize(offset, count, length);
        RegionMemory region = memory;
        if (region != null) {
            requireOpen(region.put(origin + offset, src, srcIndex, count));
        } else if (buffer != null) {
            copy(src, srcIndex, buffer, (int) (origin + offset), count);
        }
    }

    /**
     * Returns the memory address of a byte of a region modulo 8. A copy is faster if its destination has the same
     * misalignment.
     *
     * @param offset the offset of the byte in the span, at least 0 and less than {@link #length}
     * @return 0 to 7; 0 if the span covers no region
     */
    public int misalignment(long offset) {
        Objects.checkIndex(offset, length);
        return memory == null ? 0 : memory.misalignment(origin + offset);
    }

    /**
     * Copies bytes out of the span.
     *
     * @param offset the source, counted from the first byte of the span
     * @param dst the destination; used by the calling thread only, not released or retained, indexes unchanged
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
            copy(buffer, (int) (origin + offset), dst, dstIndex, count);
        }
    }

    private static void copy(ByteBuf src, int srcIndex, ByteBuf dst, int dstIndex, int length) {
        if (dst.nioBufferCount() == 1) {
            src.getBytes(srcIndex, dst, dstIndex, length);
        } else {
            // Without Unsafe, Netty's direct buffers cannot read into a composite buffer
            // (UnsupportedOperationException).
            dst.setBytes(dstIndex, src, srcIndex, length);
        }
    }

    /**
     * Returns the buffer with a byte of the span. Use it with {@link #indexAt} and {@link #contiguousAt} to access the
     * bytes without a copy.
     *
     * @param offset the offset of the byte in the span, at least 0 and less than {@link #length}
     * @return the buffer, not retained: retain it to use it after the owner of the span may release it
     * @throws IllegalStateException if the span covers a region that was closed and is not retained
     */
    public ByteBuf bufferAt(long offset) {
        Objects.checkIndex(offset, length);
        RegionMemory region = memory;
        if (region == null) {
            return Objects.requireNonNull(buffer);
        }
        requireOpen(!region.isReleased());
        return region.piece(region.pieceAt(origin + offset));
    }

    /**
     * Returns the index of a byte of the span in its buffer.
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
     * Returns how many bytes of the span, from this one on, are in the same buffer.
     *
     * @param offset the offset of the byte in the span, at least 0 and less than {@link #length}
     * @return the number of bytes, counting this one, at least 1
     */
    public int contiguousAt(long offset) {
        Objects.checkIndex(offset, length);
        RegionMemory region = memory;
        long remaining = length - offset;
        if (region == null) {
            return (int) remaining;
        }
        long at = origin + offset;
        int piece = region.pieceAt(at);
        return (int) Math.min(remaining, region.start(piece) + region.capacity(piece) - at);
    }

    /** Returns length and kind, without the bytes. */
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
