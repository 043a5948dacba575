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
    private final AtomicLong taken = new AtomicLong();

    /** @param limit the maximum number of bytes that are taken at the same time */
    public ByteBudget(long limit) {
        this.limit = limit;
    }

    /** Returns the maximum number of bytes that are taken at the same time. */
    public long limit() {
        return limit;
    }

    /** Returns the number of bytes that are taken, 0 to the limit. It may change at any time. */
    public long taken() {
        return taken.get();
    }

    /** Takes bytes. Returns false, and takes none, if too few are left. */
    public boolean take(long bytes) {
        long before = taken.get();
        while (bytes <= limit - before) {
            if (taken.compareAndSet(before, before + bytes)) {
                return true;
            }
            before = taken.get();
        }
        return false;
    }

    /**
     * Takes bytes for one of the takers. Afterwards it holds at most as many bytes as are left for others. So the one
     * that holds most is refused first, and one that begins gets its part. Returns false, and takes none, if it would
     * hold more.
     *
     * @param held the number of bytes that the taker holds already
     */
    public boolean takeShare(long bytes, long held) {
        long before = taken.get();
        while (bytes <= limit - before && held + bytes <= limit - before - bytes) {
            if (taken.compareAndSet(before, before + bytes)) {
                return true;
            }
            before = taken.get();
        }
        return false;
    }

    /** Gives bytes back that were taken. */
    public void give(long bytes) {
        taken.addAndGet(-bytes);
    }
}
