package io.iwarp.internal.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One atomic operation on 8 bytes of memory: FetchAdd or CmpSwap, both with masks (<a
 * href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1">RFC 7306 section 5.1</a>). Fill it, execute it with
 * {@link TaggedBuffer#execute}, read {@link #original}; then fill it again.
 *
 * <p>The 8 bytes are a word in the byte order of this machine ({@link ByteOrder#nativeOrder}). The operation is atomic
 * with regard to all others on the same memory, and to accesses of the application with a {@link VarHandle} of
 * {@link MethodHandles#byteBufferViewVarHandle} in native order. RFC 7306 does not require the latter. RDMA Writes and
 * local copies into the memory are not atomic: others may see part of a word. Copies out of it, also for RDMA Reads,
 * read each word atomically.
 *
 * <p>The object belongs to one thread.
 */
public final class AtomicOperation {
    /** The number of bytes of an operation. Their address must be a multiple of it. */
    public static final int LENGTH = Long.BYTES;

    /** Accesses a word in memory, in native byte order. The address must be a multiple of {@link #LENGTH}. */
    static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private boolean swapping;
    private long data;
    private long dataMask;
    private long expected;
    private long expectedMask;
    private long original;

    /** Creates an operation that adds 0. */
    public AtomicOperation() {}

    /**
     * Makes this an addition.
     *
     * @param add the addend
     * @param mask each set bit is the highest bit of a field, which carries nothing into the next field; 0, or only the
     *     highest bit, for one field of 64 bits
     * @return this operation
     */
    public AtomicOperation fetchAdd(long add, long mask) {
        swapping = false;
        data = add;
        dataMask = mask;
        return this;
    }

    /**
     * Makes this a comparison, and a replacement if the bits are equal.
     *
     * @param swap the new bits
     * @param swapMask which bits are replaced; -1 for all
     * @param compare the bits to compare with
     * @param compareMask which bits are compared; -1 for all, 0 for none, so that the replacement always happens
     * @return this operation
     */
    public AtomicOperation compareSwap(long swap, long swapMask, long compare, long compareMask) {
        swapping = true;
        data = swap;
        dataMask = swapMask;
        expected = compare;
        expectedMask = compareMask;
        return this;
    }

    /** Returns the word before the last execution. */
    public long original() {
        return original;
    }

    /** Executes the operation on 8 bytes at an aligned address. */
    void execute(ByteBuffer memory, int index) {
        if (!swapping && dataMask == 0) {
            original = (long) WORD.getAndAdd(memory, index, data);
            return;
        }
        long found = (long) WORD.getVolatile(memory, index);
        long witness = exchange(memory, index, found);
        while (witness != found) {
            found = witness;
            witness = exchange(memory, index, found);
        }
        original = found;
    }

    private long exchange(ByteBuffer memory, int index, long found) {
        long replacement = apply(found);
        return replacement == found ? found : (long) WORD.compareAndExchange(memory, index, found, replacement);
    }

    /** Returns the result of the operation on a word. */
    long apply(long word) {
        if (swapping) {
            boolean equal = ((word ^ expected) & expectedMask) == 0;
            return equal ? (word & ~dataMask) | (data & dataMask) : word;
        }
        // XOR adds the highest bit of each field without a carry, so carries of the lower bits end at the field's
        // boundary.
        long sum = (word & ~dataMask) + (data & ~dataMask);
        return sum ^ ((word ^ data) & dataMask);
    }
}
