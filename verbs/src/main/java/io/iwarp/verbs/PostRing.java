package io.iwarp.verbs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a send or receive queue. Any thread fills them; one event loop processes and frees them in order.
 *
 * <p>The posting thread claims, fills and publishes a slot. The event loop takes slots in the order of the claims and
 * retires a slot when its request has completed. The place is released after that: at once, or, if the completion goes
 * to a {@link CompletionQueue}, when the completion is polled. Slots are created at first use; nothing is allocated
 * after that ({@code PostBenchmark}).
 *
 * <p>Posts may wait beyond the number that may be taken, if the ring was made so. They have slots like all others, so
 * all posts are in one order, the order of the claims. Only the event loop decides when a waiting post goes on: when a
 * request ahead of it retires. What the consumer of a completion queue polls makes room for posts, and nothing else.
 *
 * <pre>
 *     released       retired            taken           claimed
 *        │ to be polled │ being worked on │ posted, waiting │ free
 *   ─────┴──────────────┴─────────────────┴─────────────────┴──────►  position, counted from 0 for ever
 *                       └─ at most "most" ┘
 *        └────────────────── at most the depth ─────────────┘
 * </pre>
 *
 * <p>Visibility: publishing a slot is a release store of its position, taking it an acquire load; releasing is a
 * release store of the number of released places, claiming an acquire load of it.
 */
final class PostRing<S> implements CompletionBound {
    /** The position of a slot when all are in use. */
    static final long FULL = -1;

    private static final int NONE = -1;
    /** The bit that marks a closed ring in the claimed position. It leaves no room to claim. */
    private static final long CLOSED = 1L << 62;

    private static final VarHandle TAKEN;
    private static final VarHandle ROOM;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(PostRing.class, "taken", long.class);
            ROOM = MethodHandles.lookup().findVarHandle(PostRing.class, "room", RoomQueue.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int most;
    private final int depth;
    private final AtomicReferenceArray<@Nullable S> slots;
    private final AtomicLongArray published;
    private final Supplier<S> factory;
    private final Runnable nextMayGoOn;
    private final AtomicLong claimed = new AtomicLong();
    private final AtomicLong released = new AtomicLong();
    /** Made by the first thread that waits for room. */
    private volatile @Nullable RoomQueue room;

    private boolean severalRelease;
    private long retired;
    private long taken;
    private long visible;

    /** Creates a ring without posts that wait. */
    PostRing(int depth, Supplier<S> factory) {
        this(depth, 0, factory, () -> {});
    }

    /**
     * @param most the maximum number of posts that are taken and not retired
     * @param waiting the number of posts that may wait beyond that
     * @param nextMayGoOn called on the event loop when a waiting post may be taken
     */
    PostRing(int most, int waiting, Supplier<S> factory, Runnable nextMayGoOn) {
        this.most = most;
        this.depth = most + waiting;
        this.nextMayGoOn = nextMayGoOn;
        int size = Integer.highestOneBit(Math.max(1, 2 * depth - 1));
        this.slots = new AtomicReferenceArray<>(size);
        this.published = new AtomicLongArray(size);
        this.factory = factory;
        for (int i = 0; i < size; i++) {
            published.setPlain(i, NONE);
        }
    }

    /** Returns the maximum number of posts that are taken and not retired. */
    int most() {
        return most;
    }

    /** Returns the maximum number of posts that are not released: those that may be taken, and those that may wait. */
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
        long position = claimed.get();
        while (position - released.getAcquire() < depth) {
            makeSlot(index(position));
            if (claimed.compareAndSet(position, position + 1)) {
                return position;
            }
            position = claimed.get();
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

    /** Any thread: publishes the filled slot at a claimed position to the event loop. */
    void publish(long position) {
        published.setRelease(index(position), position);
    }

    /** Event loop: returns the number of consecutive published slots behind the taken ones. */
    int waiting() {
        while (published.getAcquire(index(visible)) == visible) {
            visible++;
        }
        return (int) (visible - taken);
    }

    /** Event loop: returns the slot {@code ahead} places behind the next one to take; less than {@link #waiting}. */
    S peek(int ahead) {
        return slot(taken + ahead);
    }

    /** Event loop: returns the next slot to take. Returns null if none is published, or the post has to wait. */
    @Nullable
    S next() {
        return waiting() == 0 || allTaken() ? null : slot(taken);
    }

    private boolean allTaken() {
        return taken - retired == most;
    }

    /** Event loop: takes the {@link #next} slot, if there is one. */
    @Nullable
    S take() {
        return next() == null ? null : advance();
    }

    /** Event loop: takes and returns the slot that {@link #next} has just returned. */
    S advance() {
        return slot(taken++);
    }

    /** Event loop: returns the oldest slot that is taken and not retired, or null. */
    @Nullable
    S oldest() {
        return retired == taken ? null : slot(retired);
    }

    /** Event loop: retires the oldest taken slot. Its content must be cleared. Its place is released later. */
    void retire() {
        boolean mayHaveToWait = allTaken();
        retired++;
        if (mayHaveToWait && waiting() > 0) {
            nextMayGoOn.run();
        }
    }

    /**
     * Releases one retired slot, which may be claimed again. Event loop; any thread after {@link #releasedByConsumer}.
     */
    @Override
    public void release() {
        if (severalRelease) {
            released.incrementAndGet();
        } else {
            released.setRelease(released.getPlain() + 1);
        }
        wakeFirst();
    }

    /** Any thread: returns the threads that wait for room. */
    RoomQueue room() {
        RoomQueue queue = room;
        if (queue != null) {
            return queue;
        }
        ROOM.compareAndSet(this, null, new RoomQueue());
        return Objects.requireNonNull(room);
    }

    /** Any thread: wakes who has waited longest for room, if there may be some. */
    void wakeFirst() {
        RoomQueue waiting = room;
        if (waiting != null) {
            waiting.wakeFirst();
        }
    }

    /** Event loop: retires and releases the oldest taken slot. */
    void free() {
        retire();
        release();
    }

    /**
     * Allows threads other than the event loop to release slots.
     *
     * @throws IllegalStateException if a slot has been claimed
     */
    @Override
    public void releasedByConsumer() {
        if (claimed.get() != 0) {
            throw new IllegalStateException(
                    "something was posted already: set completion queues before the first post");
        }
        severalRelease = true;
    }

    /** Refuses further claims, and ends the waits for room. May be called again. */
    void close() {
        claimed.accumulateAndGet(CLOSED, (position, mark) -> position | mark);
        wakeFirst();
    }

    /**
     * Returns the number of claimed requests that are not taken. Any thread may call it; exact on the event loop once
     * closed.
     */
    int untaken() {
        return (int) Math.min(depth, claimedSince((long) TAKEN.getOpaque(this)));
    }

    /**
     * Returns the number of claimed requests that are not released. Any thread may call it; the result is exact once
     * closed.
     */
    @Override
    public int uncompleted() {
        return (int) Math.min(depth, claimedSince(released.get()));
    }

    /** Returns the number of taken requests that are not released, 0 to the depth. Any thread may call it. */
    int unreported() {
        long before = released.get();
        return (int) Math.min(depth, Math.max(0, (long) TAKEN.getOpaque(this) - before));
    }

    /** The caller has read {@code position} first, so the claims may be ahead of it by more than the depth. */
    private long claimedSince(long position) {
        return (claimed.get() & ~CLOSED) - position;
    }

    /** The number of slots is a power of two. */
    private int index(long position) {
        return (int) position & (slots.length() - 1);
    }

    /** Returns the slot at a position that is claimed and not retired. */
    S slot(long position) {
        S slot = slots.getPlain(index(position));
        if (slot == null) {
            throw new IllegalStateException("position " + position + " was never claimed");
        }
        return slot;
    }
}
