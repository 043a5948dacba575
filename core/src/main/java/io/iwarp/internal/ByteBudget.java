package io.iwarp.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A byte budget that several users share. Thread-safe.
 *
 * <p>One compare-and-set reserves all bytes of a call or none, so a refused reservation is never visible to other
 * threads and cannot cause further refusals.
 */
public final class ByteBudget {
    private final long limit;
    private final AtomicLong reservedBytes = new AtomicLong();

    /** @param limit the maximum number of reserved bytes */
    public ByteBudget(long limit) {
        this.limit = limit;
    }

    /** Returns the maximum number of reserved bytes. */
    public long limit() {
        return limit;
    }

    /** Returns the number of reserved bytes, 0 to the limit. It may change at any time. */
    public long reservedBytes() {
        return reservedBytes.get();
    }

    /** Reserves bytes. Returns false, and reserves none, if too few are left. */
    public boolean tryReserve(long bytes) {
        long before = reservedBytes.get();
        while (bytes <= limit - before) {
            if (reservedBytes.compareAndSet(before, before + bytes)) {
                return true;
            }
            before = reservedBytes.get();
        }
        return false;
    }

    /** Releases reserved bytes. */
    public void release(long bytes) {
        reservedBytes.addAndGet(-bytes);
    }
}
