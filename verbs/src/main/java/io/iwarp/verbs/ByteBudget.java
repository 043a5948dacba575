package io.iwarp.verbs;

import java.util.concurrent.atomic.AtomicLong;

/** How many bytes the uncompleted requests of a queue pair may have together. Any thread may call any method. */
final class ByteBudget {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    ByteBudget(long limit) {
        this.limit = limit;
    }

    /** Returns whether there was room for so many more bytes, which are now taken. */
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

    /** Gives back what was taken. */
    void give(long bytes) {
        taken.addAndGet(-bytes);
    }

    /** Returns what to tell who posted too much. */
    QueueFullException exceeded(long bytes) {
        return new QueueFullException(bytes, taken.get(), limit);
    }
}
