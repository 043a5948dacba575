package io.iwarp.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apiguardian.api.API;

/**
 * One atomic operation on 8 bytes of memory: FetchAdd or CmpSwap, both with masks
 * (<a href="https://www.rfc-editor.org/rfc/rfc7306#section-5.1">RFC 7306 section 5.1</a>). Fill it, execute it with
 * {@link TaggedBuffer#execute} or {@link MemoryRegion#execute}, read {@link #original}; then fill it again.
 *
 * <p>The 8 bytes are a number in the order of this machine ({@link ByteOrder#nativeOrder}). The operation is atomic with
 * regard to every other one on the same memory, also to what the application does there itself with a {@link VarHandle} of
 * {@link MethodHandles#byteBufferViewVarHandle} in native order: more than RFC 7306 asks, which leaves access by the local
 * processor open. RDMA Writes, RDMA Reads and copies through a span are not atomic: they may see or leave part of a number.
 *
 * <p>The object belongs to one thread.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
public final class AtomicOperation {
    /** The bytes that an operation works on; their address must be a multiple of this. */
    public static final int LENGTH = Long.BYTES;

    /** Access to a number in memory, in the order of this machine; the address must be a multiple of {@link #LENGTH}. */
    static final VarHandle NUMBER = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private boolean swapping;
    private long data;
    private long dataMask;
    private long expected;
    private long expectedMask;
    private long original;

    /** An operation that adds 0. */
    public AtomicOperation() {}

    /**
     * Makes this an addition.
     *
     * @param add what to add
     * @param mask each bit set is the highest of a field from which nothing is carried into the next; 0, as well as the
     *     highest bit alone, for one field of 64 bits
     * @return this operation
     */
    public AtomicOperation fetchAdd(long add, long mask) {
        swapping = false;
        data = add;
        dataMask = mask;
        return this;
    }

    /**
     * Makes this a comparison, and a replacement if it finds what is expected.
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

    /** {@return the number that the last execution found, whether it changed it or not} */
    public long original() {
        return original;
    }

    /** Carries the operation out on 8 bytes at an aligned address. */
    void execute(ByteBuffer memory, int index) {
        if (!swapping && dataMask == 0) {
            original = (long) NUMBER.getAndAdd(memory, index, data);
            return;
        }
        long found = (long) NUMBER.getVolatile(memory, index);
        long witness = exchange(memory, index, found);
        while (witness != found) {
            found = witness;
            witness = exchange(memory, index, found);
        }
        original = found;
    }

    private long exchange(ByteBuffer memory, int index, long found) {
        long replacement = apply(found);
        return replacement == found ? found : (long) NUMBER.compareAndExchange(memory, index, found, replacement);
    }

    /** {@return what the operation makes of a number} */
    long apply(long number) {
        if (swapping) {
            boolean equal = ((number ^ expected) & expectedMask) == 0;
            return equal ? (number & ~dataMask) | (data & dataMask) : number;
        }
        // The highest bits of the fields are added without a carry by the exclusive or; all others cannot reach beyond
        // them.
        long sum = (number & ~dataMask) + (data & ~dataMask);
        return sum ^ ((number ^ data) & dataMask);
    }
}
