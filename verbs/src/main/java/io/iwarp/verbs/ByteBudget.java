package io.iwarp.verbs;

import java.util.concurrent.atomic.AtomicLong;

/** Limits the total bytes of the uncompleted requests of a queue pair. Any thread may call any method. */
final class ByteBudget {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    ByteBudget(long limit) {
        this.limit = limit;
    }

    /** Takes bytes from the budget. Returns false, and takes none, if too few are left. */
    boolean take(long bytes) {
        long before = taken.get();
        while (bytes <= limit - before) {
            if (taken.compareAndSet(before, before + bytes)) {
                return true;
            }
            before = taken.get();
        }
        return false;
    }

    /** Returns bytes to the budget. */
    void give(long bytes) {
        taken.addAndGet(-bytes);
    }

    /** Returns the exception for a post that exceeds the budget. */
    QueueFullException exceeded(long bytes) {
        return new QueueFullException(bytes, taken.get(), limit);
    }
}
