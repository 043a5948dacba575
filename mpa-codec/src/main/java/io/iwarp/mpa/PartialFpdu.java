package io.iwarp.mpa;

import io.iwarp.internal.EventLoopBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The first part of an FPDU whose rest has not arrived yet, in a buffer of its own.
 *
 * <p>Holds at most one FPDU, at most {@link FpduDecoder#maxWireLength()} bytes, and no buffer between two FPDUs. The
 * buffer grows with what arrives: a peer that announces a large FPDU and stops ties up at most {@link #GROWTH} times
 * what it has sent. Buffers that an event loop keeps anyway are used with their full size.
 */
final class PartialFpdu {

    /** Spares a second allocation when the first bytes are too few to tell the length. */
    static final int MIN_CAPACITY = 256;

    /** The capacity that a buffer is given for each byte that is there. */
    static final int GROWTH = 4;

    /** One for the FPDU that ends each read of a busy connection, some for connections whose peer is slow. */
    private static final EventLoopBuffers WARM = new EventLoopBuffers(FpduDecoder.maxWireLength(), 4);

    private final ByteBufAllocator allocator;
    private final InputMemory memory;
    private @Nullable ByteBuf bytes;
    /** What is counted at the device for the buffer. */
    private int reserved;

    /** @param memory limits what all streams hold together */
    PartialFpdu(ByteBufAllocator allocator, InputMemory memory) {
        this.allocator = allocator;
        this.memory = memory;
    }

    boolean isEmpty() {
        return bytes == null;
    }

    int length() {
        return bytes == null ? 0 : bytes.writerIndex();
    }

    /**
     * Copies bytes until it has {@code needed} bytes or there are no more.
     *
     * @return the index in {@code source} of the first byte not taken; -1 if the limit of the device is reached, then
     *     nothing was taken
     */
    int fill(ByteBuf source, int index, int end, int needed) {
        int taken = Math.min(end - index, needed - length());
        int length = length() + taken;
        int capacity = (int) Math.min(Math.max(needed, MIN_CAPACITY), Math.max(MIN_CAPACITY, (long) GROWTH * length));
        if (capacity > reserved && !reserve(capacity)) {
            return -1;
        }
        ByteBuf target = bytes;
        if (target == null) {
            target = WARM.take(allocator, capacity);
            bytes = target;
        } else if (target.capacity() < length) {
            target.capacity(capacity);
        }
        target.writeBytes(source, index, taken);
        return index + taken;
    }

    private boolean reserve(int capacity) {
        if (!memory.reserve(capacity - reserved)) {
            return false;
        }
        reserved = capacity;
        return true;
    }

    private void unreserve() {
        memory.unreserve(reserved);
        reserved = 0;
    }

    /** Returns the buffer, which stays this object's. Not to be called while empty. */
    ByteBuf peek() {
        ByteBuf held = bytes;
        if (held == null) {
            throw new IllegalStateException("no FPDU has been begun");
        }
        return held;
    }

    /** Gives the buffer away to the caller, who releases it; this is empty afterwards. */
    ByteBuf take() {
        ByteBuf held = peek();
        bytes = null;
        unreserve();
        return held;
    }

    void release() {
        if (bytes != null) {
            bytes.release();
            bytes = null;
        }
        unreserve();
    }
}
