package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a region: one or more direct buffers under one 64-bit offset.
 *
 * <p>Copies use an NIO view of each buffer and its absolute bulk operations, which have no position: several event
 * loops may place into one region at the same time. {@link ByteBuf#setBytes} allows this on some buffers only. The
 * views are valid only while the buffers are not freed or resized, so this class holds a reference to each buffer and
 * checks its capacity before each copy. A copy allocates nothing if the other {@code ByteBuf} has an array or is a
 * direct buffer. A slice or duplicate of a direct buffer may need a small view, and a composite buffer an array of
 * views.
 *
 * <p>The memory ends in two steps. When the region is closed, a gate waits for the copies in progress, and nothing is
 * copied into the memory any more. When the last reference ends, the buffers are released: the region holds one until
 * it is closed, each posted local request holds one until it completes, and each copy out of the memory holds one.
 */
final class RegionMemory implements TaggedMemory {
    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private final ByteBuf[] buffers;
    private final ByteBuffer[] views;
    /** Offset of the first byte of each buffer, and finally the total length. */
    private final long[] pieceStarts;

    private final boolean readOnly;
    private final Gate changeGate = new Gate();
    private final AtomicInteger references = new AtomicInteger(1);
    /** The number of valid STags by which peers may change the bytes. */
    private final AtomicInteger changingStagCount = new AtomicInteger();

    /** Takes over one reference to each buffer. All are {@linkplain #requireUsable usable}. */
    RegionMemory(List<ByteBuf> pieces) {
        int count = pieces.size();
        buffers = pieces.toArray(new ByteBuf[0]);
        views = new ByteBuffer[count];
        pieceStarts = new long[count + 1];
        boolean changeable = true;
        for (int i = 0; i < count; i++) {
            int capacity = buffers[i].capacity();
            views[i] = buffers[i].nioBuffer(0, capacity);
            pieceStarts[i + 1] = pieceStarts[i] + capacity;
            changeable &= !buffers[i].isReadOnly();
        }
        readOnly = !changeable;
    }

    /**
     * Returns the bytes of buffers that are {@linkplain #requireUsable usable}, with a reference of its own to each.
     */
    static RegionMemory over(List<ByteBuf> buffers) {
        List<ByteBuf> retained = new ArrayList<>(buffers.size());
        try {
            for (ByteBuf buffer : buffers) {
                retained.add(buffer.retain());
            }
            return new RegionMemory(retained);
        } catch (Throwable e) {
            retained.forEach(ByteBuf::release);
            throw e;
        }
    }

    /** Refuses a buffer that cannot be registered. */
    static void requireUsable(ByteBuf buffer) {
        String complaint = null;
        if (buffer.refCnt() == 0) {
            complaint = "was released; pass a buffer that you hold a reference to";
        } else if (!buffer.isDirect()) {
            complaint = "is not a direct buffer; take one from ByteBufAllocator.directBuffer()";
        } else if (buffer.capacity() == 0) {
            complaint = "is empty; pass a buffer with a capacity of at least 1 byte";
        } else if (buffer.nioBufferCount() != 1) {
            complaint = "is made of several pieces; pass each piece as a buffer of its own";
        }
        if (complaint != null) {
            throw new IllegalArgumentException("cannot register " + buffer + ": it " + complaint);
        }
    }

    @Override
    public void onIssue(EnumSet<AccessRight> rights) {
        if (allowChanges(rights)) {
            changingStagCount.incrementAndGet();
        }
    }

    @Override
    public void onRetire(EnumSet<AccessRight> rights) {
        if (allowChanges(rights)) {
            changingStagCount.decrementAndGet();
        }
    }

    private static boolean allowChanges(EnumSet<AccessRight> rights) {
        return rights.contains(AccessRight.REMOTE_WRITE) || rights.contains(AccessRight.REMOTE_ATOMIC);
    }

    /** Returns whether a peer may change the bytes by an STag. Any thread may ask. */
    boolean peersMayChange() {
        return changingStagCount.get() > 0;
    }

    /** Returns the number of bytes, at least 1. */
    @Override
    public long length() {
        return pieceStarts[buffers.length];
    }

    /** Returns whether one of the buffers is read-only. */
    @Override
    public boolean isReadOnly() {
        return readOnly;
    }

    /** Refuses a change of read-only memory. */
    void requireWritable() {
        if (readOnly) {
            throw new UnsupportedOperationException("the region is over a read-only buffer and cannot be changed;"
                    + " register the writable buffer for that");
        }
    }

    /** Copies into the memory. Returns false if the region was closed; then nothing was copied. */
    boolean put(long offset, ByteBuf src, int srcIndex, int length) {
        requireWritable();
        if (!changeGate.enter()) {
            return false;
        }
        try {
            place(offset, src, srcIndex, length);
        } finally {
            changeGate.leave();
        }
        return true;
    }

    /** Copies out of the memory. Returns false if the buffers were released; then nothing was copied. */
    boolean get(long offset, ByteBuf dst, int dstIndex, int length) {
        if (!retain()) {
            return false;
        }
        try {
            fetch(offset, dst, dstIndex, length);
        } finally {
            release();
        }
        return true;
    }

    /**
     * Returns part of the memory as a buffer, to be released by the caller; null if the buffers were released.
     *
     * @param whole an empty buffer, which gets the parts
     */
    @Nullable
    ByteBuf buffer(long offset, int length, CompositeByteBuf whole) {
        if (!retain()) {
            whole.release();
            return null;
        }
        try {
            int piece = pieceAt(offset);
            int index = (int) (offset - pieceStarts[piece]);
            int remaining = length;
            while (remaining > 0) {
                int run = Math.min(remaining, capacity(piece) - index);
                whole.addComponent(true, slice(piece, index, run));
                remaining -= run;
                index = 0;
                piece++;
            }
        } catch (Throwable e) {
            whole.release();
            throw e;
        } finally {
            release();
        }
        // A slice cannot grow beyond the region.
        return whole.slice(0, length);
    }

    /**
     * Returns whether a copy from a buffer, piece by piece, might read bytes that it has written: the buffer may be
     * over this memory, and the copy has several pieces.
     */
    boolean mayOverlap(ByteBuf src, long offset, int length) {
        if (length == 0 || src.hasArray()) {
            return false;
        }
        int piece = pieceAt(offset);
        boolean onePiece = offset + length <= pieceStarts[piece + 1];
        return !(onePiece && src.nioBufferCount() == 1) && mayShareMemory(src);
    }

    @SuppressWarnings("ReferenceEquality") // the same memory, whatever its content
    private boolean mayShareMemory(ByteBuf src) {
        ByteBuf root = root(src);
        if (root instanceof CompositeByteBuf) {
            return true;
        }
        for (ByteBuf buffer : buffers) {
            if (root(buffer) == root) {
                return true;
            }
        }
        return false;
    }

    private static ByteBuf root(ByteBuf buffer) {
        ByteBuf root = buffer;
        for (ByteBuf next = root.unwrap(); next != null; next = next.unwrap()) {
            root = next;
        }
        return root;
    }

    private ByteBuf slice(int piece, int index, int length) {
        requireUnchanged(piece);
        return buffers[piece].retainedSlice(index, length);
    }

    /** Copies into the memory; the caller is inside a gate that is closed before the region is. */
    @Override
    public void place(long offset, ByteBuf src, int srcIndex, int length) {
        int piece = pieceAt(offset);
        int index = (int) (offset - pieceStarts[piece]);
        int from = srcIndex;
        int remaining = length;
        while (remaining > 0) {
            int run = Math.min(remaining, capacity(piece) - index);
            copy(src, from, view(piece), index, run);
            from += run;
            remaining -= run;
            index = 0;
            piece++;
        }
    }

    /**
     * Copies out of the memory; the caller holds a reference, or is inside a gate that is closed before the region is.
     */
    @Override
    public void fetch(long offset, ByteBuf dst, int dstIndex, int length) {
        int piece = pieceAt(offset);
        int index = (int) (offset - pieceStarts[piece]);
        int to = dstIndex;
        int remaining = length;
        while (remaining > 0) {
            int run = Math.min(remaining, capacity(piece) - index);
            copy(view(piece), index, dst, to, run);
            to += run;
            remaining -= run;
            index = 0;
            piece++;
        }
    }

    private static void copy(ByteBuf src, int srcIndex, ByteBuffer dst, int dstIndex, int length) {
        if (src.hasArray()) {
            Objects.checkFromIndexSize(srcIndex, length, src.capacity());
            dst.put(dstIndex, src.array(), src.arrayOffset() + srcIndex, length);
        } else if (src.nioBufferCount() == 1) {
            ByteBuffer bytes = src.internalNioBuffer(srcIndex, length);
            dst.put(dstIndex, bytes, bytes.position(), length);
        } else {
            int index = dstIndex;
            for (ByteBuffer bytes : src.nioBuffers(srcIndex, length)) {
                dst.put(index, bytes, bytes.position(), bytes.remaining());
                index += bytes.remaining();
            }
        }
    }

    /** Copies out of a buffer. Each aligned word of 8 bytes is read atomically. */
    private static void copy(ByteBuffer src, int srcIndex, ByteBuf dst, int dstIndex, int length) {
        Objects.checkFromIndexSize(dstIndex, length, dst.capacity());
        int misalignment = src.alignmentOffset(srcIndex, AtomicOperation.LENGTH);
        int head = Math.min(length, -misalignment & (AtomicOperation.LENGTH - 1));
        int words = (length - head) & -AtomicOperation.LENGTH;
        copyBytes(src, srcIndex, dst, dstIndex, head);
        copyWords(src, srcIndex + head, dst, dstIndex + head, words);
        int tail = head + words;
        copyBytes(src, srcIndex + tail, dst, dstIndex + tail, length - tail);
    }

    private static void copyBytes(ByteBuffer src, int srcIndex, ByteBuf dst, int dstIndex, int length) {
        for (int i = 0; i < length; i++) {
            dst.setByte(dstIndex + i, src.get(srcIndex + i));
        }
    }

    private static void copyWords(ByteBuffer src, int srcIndex, ByteBuf dst, int dstIndex, int length) {
        if (length == 0) {
            return;
        }
        if (dst.isDirect() && dst.nioBufferCount() == 1) {
            ByteBuffer bytes = dst.internalNioBuffer(dstIndex, length);
            if (bytes.alignmentOffset(bytes.position(), AtomicOperation.LENGTH) == 0) {
                // Unsafe.copyMemory of the JDK copies units of at least 8 bytes if both addresses and the length are
                // multiples of 8.
                bytes.put(bytes.position(), src, srcIndex, length);
                return;
            }
        }
        for (int i = 0; i < length; i += AtomicOperation.LENGTH) {
            long word = (long) AtomicOperation.WORD.getOpaque(src, srcIndex + i);
            if (LITTLE_ENDIAN) {
                dst.setLongLE(dstIndex + i, word);
            } else {
                dst.setLong(dstIndex + i, word);
            }
        }
    }

    /** Returns whether the 8 bytes at this offset are in one buffer, at an address that is a multiple of 8. */
    @Override
    public boolean isAligned(long offset) {
        int piece = pieceAt(offset);
        int index = (int) (offset - pieceStarts[piece]);
        return index <= capacity(piece) - AtomicOperation.LENGTH
                && views[piece].alignmentOffset(index, AtomicOperation.LENGTH) == 0;
    }

    @Override
    public int misalignment(long offset) {
        int piece = pieceAt(offset);
        return views[piece].alignmentOffset((int) (offset - pieceStarts[piece]), AtomicOperation.LENGTH);
    }

    /** Executes an operation on 8 aligned bytes; the caller is inside a gate that is closed before the region is. */
    @Override
    public void execute(long offset, AtomicOperation operation) {
        int piece = pieceAt(offset);
        operation.execute(view(piece), (int) (offset - pieceStarts[piece]));
    }

    /** Refuses 8 bytes that cannot be accessed atomically. */
    void requireAligned(long offset) {
        if (!isAligned(offset)) {
            throw new IllegalArgumentException("the " + AtomicOperation.LENGTH + " bytes at offset " + offset
                    + " do not lie in one buffer at an address that is a multiple of " + AtomicOperation.LENGTH
                    + "; register buffers that begin at such addresses and have lengths that are multiples, and use"
                    + " offsets that are multiples");
        }
    }

    /** Reads words, each atomically. Returns false if the buffers were released; then nothing was read. */
    boolean getLongs(long offset, long[] into) {
        if (!retain()) {
            return false;
        }
        try {
            int done = 0;
            while (done < into.length) {
                long from = offset + (long) done * AtomicOperation.LENGTH;
                requireAligned(from);
                int piece = pieceAt(from);
                int index = (int) (from - pieceStarts[piece]);
                int end = done + Math.min(into.length - done, (capacity(piece) - index) / AtomicOperation.LENGTH);
                ByteBuffer view = view(piece);
                for (; done < end; done++) {
                    into[done] = (long) AtomicOperation.WORD.getOpaque(view, index);
                    index += AtomicOperation.LENGTH;
                }
            }
        } finally {
            release();
        }
        return true;
    }

    /** An access to an aligned word in a buffer of the region. It has no state, so that it is not allocated. */
    @FunctionalInterface
    interface WordAccess {
        /** Returns the word before the access, or the one that was written. */
        long apply(ByteBuffer buffer, int index, long expected, long operand);
    }

    /** Accesses an aligned word; the caller is inside a gate that is closed before the region is. */
    long access(long offset, long expected, long operand, WordAccess access) {
        int piece = pieceAt(offset);
        return access.apply(view(piece), (int) (offset - pieceStarts[piece]), expected, operand);
    }

    /** Keeps the region open until the caller {@link #leave leaves}. Returns false if it was closed. */
    boolean enter() {
        return changeGate.enter();
    }

    /** Ends what {@link #enter} began. */
    void leave() {
        changeGate.leave();
    }

    /**
     * Returns the number of the buffer with the byte at this offset; the last one for the offset after the last byte.
     */
    int pieceAt(long offset) {
        int last = buffers.length - 1;
        if (last == 0) {
            return 0;
        }
        int found = Arrays.binarySearch(pieceStarts, 0, last + 1, offset);
        return found >= 0 ? found : -found - 2;
    }

    /** Returns the buffer with this number. */
    ByteBuf piece(int piece) {
        return buffers[piece];
    }

    /** Returns the offset of the first byte of the buffer with this number. */
    long start(int piece) {
        return pieceStarts[piece];
    }

    /** Returns the number of bytes of the buffer with this number. */
    int capacity(int piece) {
        return (int) (pieceStarts[piece + 1] - pieceStarts[piece]);
    }

    /** Returns whether the buffers were released. */
    boolean isReleased() {
        return references.get() == 0;
    }

    /** Takes a reference. Returns false if the buffers were already released. */
    boolean retain() {
        for (int count = references.get(); count > 0; count = references.get()) {
            if (references.compareAndSet(count, count + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Ends one reference. The last one releases the buffers. */
    void release() {
        int remaining = references.decrementAndGet();
        if (remaining < 0) {
            throw new IllegalStateException("a region was released more often than retained");
        }
        if (remaining == 0) {
            for (ByteBuf buffer : buffers) {
                buffer.release();
            }
        }
    }

    @Override
    public void endChanges() {
        changeGate.close();
    }

    /** Ends the reference of the region. */
    @Override
    public void close() {
        release();
    }

    private ByteBuffer view(int piece) {
        requireUnchanged(piece);
        return views[piece];
    }

    /** Refuses a buffer that was freed or resized: its memory may belong to others now. */
    private void requireUnchanged(int piece) {
        ByteBuf buffer = buffers[piece];
        if (buffer.capacity() != capacity(piece) || buffer.refCnt() == 0) {
            throw new IllegalStateException("a registered buffer of " + capacity(piece) + " bytes was freed or resized"
                    + " by the application and is now " + buffer
                    + "; close the region before changing the capacity, and release only references of your own");
        }
    }
}
