package io.iwarp.verbs;

import java.util.concurrent.atomic.AtomicLong;

/** How many octets the uncompleted requests of a queue pair may have together. Any thread may call any method. */
final class OctetBudget {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    OctetBudget(long limit) {
        this.limit = limit;
    }

    /** {@return whether there was room for so many more octets, which are now taken} */
    boolean take(long octets) {
        long before = taken.get();
        while (octets <= limit - before) {
            if (taken.compareAndSet(before, before + octets)) {
                return true;
            }
            before = taken.get();
        }
        return false;
    }

    /** Gives back what was taken. */
    void give(long octets) {
        taken.addAndGet(-octets);
    }

    /** {@return what to tell who posted too much} */
    QueueFullException exceeded(long octets) {
        return new QueueFullException(octets, taken.get(), limit);
    }
}
