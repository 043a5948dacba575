package io.iwarp.verbs;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a {@link CompletionQueue}: added by any thread, taken by one thread at a time.
 *
 * <p>An entry is never overwritten before it was looked at, because whoever adds one has room reserved for it: no more than
 * the capacity are added and not taken. There is one entry more than that at least, so that the one taken last stays as it
 * is while it is looked at. Entries are made when they are first used, and nothing is allocated after that.
 *
 * <p>Visibility: publishing an entry is a volatile store of its position and looking for it a volatile load, so that a
 * thread which announces that it is going to sleep and then finds nothing is seen by whoever adds the next entry.
 *
 * @param <O> whose completions they are
 */
final class CompletionRing<O> {
    /** One completion, and whose it is. */
    static final class Entry<O> {
        private final Completion completion = new Completion();
        private @Nullable O owner;

        private Entry() {}

        Completion completion() {
            return completion;
        }

        O owner() {
            O told = owner;
            if (told == null) {
                throw new IllegalStateException("the entry was taken before");
            }
            return told;
        }

        /** Lets go of the owner and the buffer. */
        void clear() {
            owner = null;
            completion.clear();
        }
    }

    private static final int NONE = -1;

    private final int mask;
    private final AtomicReferenceArray<@Nullable Entry<O>> entries;
    private final AtomicLongArray published;
    private final AtomicLong added = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();

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
     * Any thread that has room reserved: takes a place, which it must {@link #publish} at once.
     *
     * @return the position of the place, counted from 0 for ever
     */
    long claim() {
        return added.getAndIncrement();
    }

    /** Any thread: puts a copy of the completion into a place that it has claimed. */
    void publish(long position, O owner, Completion completion) {
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

    /** Consumer: the position of the next entry to be taken. */
    long position() {
        return taken.getPlain();
    }

    /** Consumer: whether the next entry is not there yet. */
    boolean isEmpty() {
        long position = taken.getPlain();
        return published.get((int) position & mask) != position;
    }

    /** Consumer: takes the next entry, which stays as it is until the next call; or null if there is none. */
    @Nullable
    Entry<O> take() {
        long position = taken.getPlain();
        int index = (int) position & mask;
        if (published.getAcquire(index) != position) {
            return null;
        }
        taken.setRelease(position + 1);
        return entries.getPlain(index);
    }

    /**
     * Returns how many places were claimed and not taken, at least 0. Any thread, a moment's view; exact for the
     * consumer, for which it also counts entries that are not published yet.
     */
    int size() {
        // The trailing position first: the difference cannot be negative then.
        long before = taken.get();
        return (int) (added.get() - before);
    }
}
