package io.iwarp.verbs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a send or receive queue. Any thread fills them; one event loop processes and frees them in order.
 *
 * <p>The posting thread claims, fills and publishes a slot. The event loop starts slots in the order of the claims, and
 * a slot is done when its request has completed. The place is released after that: at once, or, if the completion goes
 * to a {@link CompletionQueue}, when the completion is polled. Slots are created at first use; nothing is allocated
 * after that ({@code PostBenchmark}).
 *
 * <pre>
 *     released       done            started             published   claimed
 *        │ to be polled │ being worked on │ posted, not started │ being filled │ free
 *   ─────┴──────────────┴─────────────────┴─────────────────────┴──────────────┴──────►  position, counted from 0
 *        └─ at most the depth ─────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>Visibility: publishing a slot is a release store of its position, taking it an acquire load; releasing is a
 * release store of the number of released places, claiming an acquire load of it.
 */
final class PostRing<S> implements QueueSlots {
    /** The position of a slot when all are in use. */
    static final long FULL = -1;

    private static final int NONE = -1;
    /** The bit that marks a closed ring in the claimed position. It leaves no room to claim. */
    private static final long CLOSED = 1L << 62;

    private static final VarHandle STARTED;

    static {
        try {
            STARTED = MethodHandles.lookup().findVarHandle(PostRing.class, "started", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int depth;
    private final AtomicReferenceArray<@Nullable S> slots;
    private final AtomicLongArray publishedAt;
    private final Supplier<S> factory;
    private final AtomicLong claimed = new AtomicLong();
    private final AtomicLong released = new AtomicLong();

    private boolean isReleasedByAnyThread;
    private long published;
    private long started;
    private long done;

    /** @param depth the maximum number of posts that are not released */
    PostRing(int depth, Supplier<S> factory) {
        this.depth = depth;
        int size = Integer.highestOneBit(Math.max(1, 2 * depth - 1));
        this.slots = new AtomicReferenceArray<>(size);
        this.publishedAt = new AtomicLongArray(size);
        this.factory = factory;
        for (int i = 0; i < size; i++) {
            publishedAt.setPlain(i, NONE);
        }
    }

    /** Returns the maximum number of posts that are not released. */
    @Override
    public int depth() {
        return depth;
    }

    /**
     * Any thread: claims a free slot. Returns its position, or {@link #FULL}. The caller must always fill and
     * {@link #publish} the {@link #slot}, since all later slots wait for it. Do everything that can fail before this
     * call.
     */
    long claim() {
        return claim(1, 0);
    }

    /** Claims several consecutive slots or none, as {@link #claim()} does. Returns the position of the first. */
    long claim(int count) {
        return claim(count, 0);
    }

    /** Claims a slot as {@link #claim()} does, also in a closed ring, for a post that was accepted before the close. */
    long claimEvenIfClosed() {
        return claim(1, CLOSED);
    }

    private long claim(int count, long ignoredFlag) {
        long before = claimed.get();
        while ((before & ~ignoredFlag) + count - released.getAcquire() <= depth) {
            long position = before & ~ignoredFlag;
            for (int i = 0; i < count; i++) {
                makeSlot(index(position + i));
            }
            if (claimed.compareAndSet(before, before + count)) {
                return position;
            }
            before = claimed.get();
        }
        return FULL;
    }

    /**
     * Creates the slot before the claim, since the allocation may fail. Several threads may create it; one instance is
     * kept.
     */
    private void makeSlot(int index) {
        if (slots.getAcquire(index) == null) {
            slots.compareAndSet(index, null, factory.get());
        }
    }

    /** The thread that claimed a position: uses an object that is already filled as its slot. */
    void replaceSlot(long position, S filled) {
        slots.setRelease(index(position), filled);
    }

    /** Any thread: publishes the filled slot at a claimed position to the event loop. */
    void publish(long position) {
        publishedAt.setRelease(index(position), position);
    }

    /** Event loop: returns the number of consecutive published slots after the started ones. */
    int readyCount() {
        while (publishedAt.getAcquire(index(published)) == published) {
            published++;
        }
        return (int) (published - started);
    }

    /** Event loop: returns the slot {@code ahead} places after the next one to start; less than {@link #readyCount}. */
    S peek(int ahead) {
        return slot(started + ahead);
    }

    /** Event loop: returns the next slot to start, or null. */
    @Nullable
    S next() {
        return readyCount() == 0 ? null : slot(started);
    }

    /** Event loop: starts and returns the slot that {@link #next} has just returned. */
    S start() {
        return slot(started++);
    }

    /** Event loop: starts and returns the {@link #next} slot, if there is one. */
    @Nullable
    S startNext() {
        return readyCount() == 0 ? null : start();
    }

    /** Event loop: returns the oldest slot that is started and not done, or null. */
    @Nullable
    S oldest() {
        return done == started ? null : slot(done);
    }

    /** Event loop: the oldest started slot is done. Its content must be cleared. Its place is released later. */
    void done() {
        done++;
    }

    /**
     * Releases one slot that is done, which may be claimed again. Event loop; any thread after
     * {@link #allowReleaseByAnyThread}.
     */
    @Override
    public void release() {
        if (isReleasedByAnyThread) {
            released.incrementAndGet();
        } else {
            released.setRelease(released.getPlain() + 1);
        }
    }

    /**
     * Allows threads other than the event loop to release slots.
     *
     * @throws IllegalStateException if a slot has been claimed
     */
    @Override
    public void allowReleaseByAnyThread() {
        if (claimed.get() != 0) {
            throw new IllegalStateException(
                    "something was posted already: set completion queues before the first post");
        }
        isReleasedByAnyThread = true;
    }

    /** Refuses further claims. May be called again. */
    void close() {
        claimed.accumulateAndGet(CLOSED, (position, mark) -> position | mark);
    }

    /**
     * Returns the number of claimed requests that have not started. Any thread may call it; exact on the event loop
     * once closed.
     */
    int unstartedCount() {
        return (int) Math.min(depth, claimedSince((long) STARTED.getOpaque(this)));
    }

    /**
     * Returns the number of claimed requests that are not released. Any thread may call it; the result is exact once
     * closed.
     */
    @Override
    public int unreleasedCount() {
        return (int) Math.min(depth, claimedSince(released.get()));
    }

    /** Returns the number of started requests that are not released, 0 to the depth. Any thread may call it. */
    int startedUnreleasedCount() {
        long before = released.get();
        return (int) Math.min(depth, Math.max(0, (long) STARTED.getOpaque(this) - before));
    }

    /** The caller has read {@code position} first, so the claims may be ahead of it by more than the depth. */
    private long claimedSince(long position) {
        return (claimed.get() & ~CLOSED) - position;
    }

    /** The number of slots is a power of two. */
    private int index(long position) {
        return (int) position & (slots.length() - 1);
    }

    /** Returns the slot at a position that is claimed and not done. */
    S slot(long position) {
        S slot = slots.getPlain(index(position));
        if (slot == null) {
            throw new IllegalStateException("position " + position + " was never claimed");
        }
        return slot;
    }
}
