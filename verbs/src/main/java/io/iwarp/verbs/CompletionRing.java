package io.iwarp.verbs;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a {@link CompletionQueue}: any thread adds entries, one thread at a time takes them.
 *
 * <p>An entry is never overwritten before it is taken: every producer has reserved room, so the number of entries added
 * and not taken never exceeds the capacity. The ring has at least one more entry, so that the last taken entry stays
 * valid while the consumer uses it. Entries are created at first use; nothing is allocated after that.
 *
 * <p>Visibility: publishing an entry is a volatile store of its position, and checking for it is a volatile load. If a
 * consumer announces that it will sleep and then finds no entry, the producer of the next entry sees the announcement.
 *
 * @param <O> the owner of a completion
 */
final class CompletionRing<O> {
    /** One completion and its owner. */
    static final class Entry<O> {
        private final CompletionView completion = new CompletionView();
        private @Nullable O owner;

        private Entry() {}

        CompletionView completion() {
            return completion;
        }

        O owner() {
            O present = owner;
            if (present == null) {
                throw new IllegalStateException("the entry was taken before");
            }
            return present;
        }

        /** Clears the references to the owner and the buffer. */
        void clear() {
            owner = null;
            completion.clear();
        }
    }

    private static final int NONE = -1;

    private final int mask;
    private final AtomicReferenceArray<@Nullable Entry<O>> entries;
    private final AtomicLongArray published;
    private final AtomicLong addedCount = new AtomicLong();
    private final AtomicLong takenCount = new AtomicLong();

    CompletionRing(int capacity) {
        int size = 2 * Integer.highestOneBit(capacity);
        mask = size - 1;
        entries = new AtomicReferenceArray<>(size);
        published = new AtomicLongArray(size);
        for (int i = 0; i < size; i++) {
            published.setPlain(i, NONE);
        }
    }

    /**
     * Any thread that has room reserved: claims a place, which it must {@link #publish} at once.
     *
     * @return the position of the place, counted from 0 without wrapping
     */
    long claim() {
        return addedCount.getAndIncrement();
    }

    /** Any thread: publishes a copy of the completion in a claimed place. */
    void publish(long position, O owner, CompletionView completion) {
        int index = (int) position & mask;
        Entry<O> entry = entries.getPlain(index);
        if (entry == null) {
            entry = new Entry<>();
            entries.setPlain(index, entry);
        }
        entry.owner = owner;
        entry.completion.assign(completion);
        published.set(index, position);
    }

    /** Consumer: returns the position of the next entry to take. */
    long position() {
        return takenCount.getPlain();
    }

    /** Consumer: returns whether the next entry is not published yet. */
    boolean isEmpty() {
        long position = takenCount.getPlain();
        return published.get((int) position & mask) != position;
    }

    /** Consumer: takes the next entry, which stays valid until the next call. Returns null if there is none. */
    @Nullable
    Entry<O> take() {
        long position = takenCount.getPlain();
        int index = (int) position & mask;
        if (published.getAcquire(index) != position) {
            return null;
        }
        takenCount.setRelease(position + 1);
        return entries.getPlain(index);
    }

    /**
     * Returns the number of places claimed and not taken, at least 0, including entries that are not published yet. Any
     * thread may call it; the result is exact only for the consumer.
     */
    int size() {
        // Read the trailing position first, so that the difference is not negative.
        long before = takenCount.get();
        return (int) (addedCount.get() - before);
    }
}
