package io.iwarp.mpa;

import io.iwarp.internal.WarmBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The start of an FPDU whose rest has not come yet, in a buffer of its own.
 *
 * <p>Holds at most one FPDU, so at most {@link FpduDecoder#maxWireLength()} octets, and no buffer
 * at all while the stream stands between two FPDUs.
 */
final class PartialFpdu {

    /** Spares a second allocation when the first octets are too few to tell the length. */
    private static final int SMALLEST_CAPACITY = 256;

    /** One for the FPDU that ends each read of a busy connection, some for connections whose peer is slow. */
    private static final WarmBuffers WARM = new WarmBuffers(FpduDecoder.maxWireLength(), 4);

    private final ByteBufAllocator allocator;
    private @Nullable ByteBuf octets;

    PartialFpdu(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    boolean isEmpty() {
        return octets == null;
    }

    int length() {
        return octets == null ? 0 : octets.writerIndex();
    }

    /**
     * Copies octets until this holds {@code needed} of them or there are no more.
     *
     * @return the index in {@code source} of the first octet not taken
     */
    int fill(ByteBuf source, int index, int end, int needed) {
        ByteBuf target = octets;
        if (target == null) {
            target = WARM.take(allocator, Math.max(needed, SMALLEST_CAPACITY));
            octets = target;
        } else if (target.capacity() < needed) {
            target.capacity(needed);
        }
        int taken = Math.min(end - index, needed - target.writerIndex());
        target.writeBytes(source, index, taken);
        return index + taken;
    }

    /** Returns the buffer, which stays this object's. Not to be called while empty. */
    ByteBuf peek() {
        ByteBuf held = octets;
        if (held == null) {
            throw new IllegalStateException("no FPDU has been begun");
        }
        return held;
    }

    /** Gives the buffer away to the caller, who releases it; this is empty afterwards. */
    ByteBuf take() {
        ByteBuf held = peek();
        octets = null;
        return held;
    }

    void release() {
        if (octets != null) {
            octets.release();
            octets = null;
        }
    }
}
