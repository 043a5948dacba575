package io.iwarp.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A number of bytes that several takers share. Any thread may call any method.
 *
 * <p>A compare-and-set takes all the bytes of a call, or none. No other thread sees bytes of a call that is refused, so
 * a refusal never causes another one.
 */
public final class ByteBudget {
    private final long limit;
    private final AtomicLong reservedBytes = new AtomicLong();

    /** @param limit the maximum number of bytes that are taken at the same time */
    public ByteBudget(long limit) {
        this.limit = limit;
    }

    /** Returns the maximum number of bytes that are taken at the same time. */
    public long limit() {
        return limit;
    }

    /** Returns the number of bytes that are taken, 0 to the limit. It may change at any time. */
    public long reservedBytes() {
        return reservedBytes.get();
    }

    /** Takes bytes. Returns false, and takes none, if too few are left. */
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

    /** Gives bytes back that were taken. */
    public void release(long bytes) {
        reservedBytes.addAndGet(-bytes);
    }
}
