package io.iwarp.memory;

import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lends registered memory for the answers to RDMA Reads. A Read into a buffer registers the buffer for the duration of the
 * Read, which costs more than the Read of a small object. A pool registers large slabs once, and lends parts of them.
 *
 * <pre>{@code
 * Sink sink = pool.lend((int) source.length());      // null: too much is lent, try again after a release
 * queuePair.read(sink, source).whenComplete((read, failure) -> {
 *     if (failure == null) {
 *         use(sink.buffer());
 *     }
 *     sink.release();
 * });
 * }</pre>
 *
 * <p>The pool registers a slab when no other has room, up to a maximum, and keeps it until the pool is closed. A sink occupies
 * the next power of two of its length, at least {@value #UNIT} bytes. Peers have no access to the slabs, apart from the
 * answers to the Reads that were posted: {@link AccessRight#LOCAL_WRITE} is their only right.
 *
 * <p><b>Leaks.</b> A sink that is not released occupies its part for ever. {@link #lentSinks} and {@link #lentBytes} show it,
 * {@link #close} refuses, and Netty's leak detection reports where the sink was touched.
 *
 * <p><b>Threads.</b> Any thread may call any method. A sink may be released by another thread than the one that borrowed
 * it. A lock guards what is free. It is held for some dozens of instructions, or for the registration of a slab. The lock
 * also orders the bytes of a part: everything that its previous user did before the release happens before everything
 * that its next user does. A posted Read holds a reference to its sink until its completion, so no answer arrives in a
 * part that was returned. At the end of a stream its Reads complete after the last placement.
 */
public final class SinkPool implements AutoCloseable {
    /** The least number of bytes that a sink occupies. */
    static final int UNIT = 256;

    private static final int GREATEST_SLAB = 1 << 30;

    private final RegionBuilder slabBuilder;
    private final int slabLength;
    private final int maximumSlabs;
    private final Consumer<Sink> takeBack = this::takeBack;
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards all of the following.
    private final List<SinkSlab> slabs = new ArrayList<>();
    private int lentSinks;
    private long lentBytes;
    private boolean closed;

    /**
     * Creates a pool without slabs.
     *
     * @param domain the domain of the queue pairs that read; its limits apply to the slabs
     * @param allocator allocates the slabs, which are direct buffers
     * @param slabLength the number of bytes of a slab and the maximum of a sink, a power of two from 256 to 2^30
     * @param maximumBytes the maximum number of bytes of all slabs, at least {@code slabLength}
     */
    public SinkPool(ProtectionDomain domain, ByteBufAllocator allocator, int slabLength, long maximumBytes) {
        Objects.requireNonNull(allocator, "allocator");
        if (slabLength < UNIT || slabLength > GREATEST_SLAB || Integer.bitCount(slabLength) != 1) {
            throw new IllegalArgumentException(
                    "slabLength " + slabLength + " is not a power of two from " + UNIT + " to " + GREATEST_SLAB);
        }
        if (maximumBytes < slabLength) {
            throw new IllegalArgumentException(
                    "maximumBytes " + maximumBytes + " is less than a slab of " + slabLength);
        }
        this.slabBuilder = domain.region().allocate(allocator, slabLength).rights(AccessRight.LOCAL_WRITE);
        this.slabLength = slabLength;
        this.maximumSlabs = (int) Math.min(maximumBytes / slabLength, Integer.MAX_VALUE);
    }

    /**
     * Lends a sink.
     *
     * @param length the number of bytes, 1 to the length of a slab
     * @return the sink, to be released by the caller; null if no part of this length is free and the maximum of slabs is
     *     registered
     * @throws IllegalArgumentException if the length is not allowed
     * @throws IllegalStateException if the pool was closed
     * @throws ResourceLimitException if a limit of the domain or the device does not allow another slab
     */
    public @Nullable Sink lend(int length) {
        if (length < 1 || length > slabLength) {
            throw new IllegalArgumentException("a sink of this pool has 1 to " + slabLength + " bytes, not " + length);
        }
        int order = order(length);
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the pool of sinks was closed");
            }
            for (SinkSlab slab : slabs) {
                int unit = slab.units().take(order);
                if (unit >= 0) {
                    return lent(slab, unit, length);
                }
            }
            if (slabs.size() == maximumSlabs) {
                return null;
            }
            SinkSlab slab = new SinkSlab(slabBuilder.register(), new BuddyTree(order(slabLength)));
            slabs.add(slab);
            return lent(slab, slab.units().take(order), length);
        } finally {
            lock.unlock();
        }
    }

    private Sink lent(SinkSlab slab, int unit, int length) {
        lentSinks++;
        lentBytes += length;
        return new Sink(slab, unit * UNIT, length, takeBack);
    }

    /** Called once for each sink. */
    private void takeBack(Sink sink) {
        lock.lock();
        try {
            sink.slab().units().give((int) sink.offset() / UNIT, order(sink.length()));
            lentSinks--;
            lentBytes -= sink.length();
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many units a sink occupies, as the exponent of a power of two. */
    private static int order(int length) {
        return Integer.SIZE - Integer.numberOfLeadingZeros((length - 1) / UNIT);
    }

    /** Returns the number of sinks that were lent and not released. */
    public int lentSinks() {
        lock.lock();
        try {
            return lentSinks;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the sum of the lengths of all sinks that were lent and not released. */
    public long lentBytes() {
        lock.lock();
        try {
            return lentBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of bytes of all slabs. */
    public long registeredBytes() {
        lock.lock();
        try {
            return (long) slabs.size() * slabLength;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Releases the slabs. Closing again does nothing.
     *
     * @throws IllegalStateException if sinks are lent; then the pool stays open
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (lentSinks > 0) {
                throw new IllegalStateException(lentSinks + " sinks of together " + lentBytes
                        + " bytes are lent; release them before the pool is closed");
            }
            closed = true;
            slabs.forEach(slab -> slab.region().close());
            slabs.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Returns what is lent and what is registered. */
    @Override
    public String toString() {
        return "SinkPool[" + lentSinks() + " sinks of " + lentBytes() + " bytes lent, " + registeredBytes()
                + " bytes registered]";
    }
}
