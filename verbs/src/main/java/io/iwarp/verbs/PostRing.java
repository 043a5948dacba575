package io.iwarp.verbs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a send or receive queue: filled by any thread, worked on and freed in order by one event loop.
 *
 * <p>A slot is claimed, filled and published by the posting thread, taken by the event loop in the order of the claims, and
 * retired by it once the request has completed. Its place is released after that: at once, or, where the completion goes
 * to a {@link CompletionQueue}, when it was polled. It is occupied all that time, so the number of requests whose end the
 * application has not learned of never exceeds the depth. Slots are made when they are first used, and nothing is
 * allocated after that.
 *
 * <pre>
 *     released       retired            taken           claimed
 *        │ to be polled │ being worked on │ posted, waiting │ free
 *   ─────┴──────────────┴─────────────────┴─────────────────┴──────►  position, counted from 0 for ever
 * </pre>
 *
 * <p>Visibility: publishing a slot is a release store of its position, taking it an acquire load; releasing is a release
 * store of the number of released places, claiming an acquire load of it.
 */
final class PostRing<S extends PostRing.Slot> implements CompletionBound {
    /** What a slot has to remember for the ring. */
    interface Slot {
        /** Returns the position it was claimed for. */
        long position();

        /** Sets the position it was claimed for. */
        void position(long position);
    }

    private static final int NONE = -1;
    /** Set in the claimed position when the ring is closed, which leaves no room to claim. */
    private static final long CLOSED = 1L << 62;

    private static final VarHandle TAKEN;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(PostRing.class, "taken", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int depth;
    private final int mask;
    private final AtomicReferenceArray<@Nullable S> slots;
    private final AtomicLongArray published;
    private final Supplier<S> factory;
    private final AtomicLong claimed = new AtomicLong();
    private final AtomicLong released = new AtomicLong();
    private boolean severalRelease;
    private long retired;
    private long taken;
    private long visible;

    PostRing(int depth, Supplier<S> factory) {
        int size = Integer.highestOneBit(Math.max(1, 2 * depth - 1));
        this.depth = depth;
        this.mask = size - 1;
        this.slots = new AtomicReferenceArray<>(size);
        this.published = new AtomicLongArray(size);
        this.factory = factory;
        for (int i = 0; i < size; i++) {
            published.setPlain(i, NONE);
        }
    }

    @Override
    public int depth() {
        return depth;
    }

    /**
     * Any thread: a free slot, or null if all are in use. The caller must fill and {@link #publish} it, whatever happens:
     * the slots behind it wait for it. So everything that can fail comes before this call.
     */
    @Nullable
    S claim() {
        long position = claimed.get();
        while (position - released.getAcquire() < depth) {
            S slot = madeSlot((int) position & mask);
            if (claimed.compareAndSet(position, position + 1)) {
                slot.position(position);
                return slot;
            }
            position = claimed.get();
        }
        return null;
    }

    /** Made before it is claimed, as there may be no memory for it. Several threads may make it; one of theirs stays. */
    private S madeSlot(int index) {
        S slot = slots.getAcquire(index);
        if (slot != null) {
            return slot;
        }
        S fresh = factory.get();
        S earlier = slots.compareAndExchange(index, null, fresh);
        return earlier == null ? fresh : earlier;
    }

    /** Any thread: hands a filled slot to the event loop. */
    void publish(S slot) {
        long position = slot.position();
        published.setRelease((int) position & mask, position);
    }

    /** Event loop: how many slots are published in a row behind those taken. */
    int waiting() {
        while (published.getAcquire((int) visible & mask) == visible) {
            visible++;
        }
        return (int) (visible - taken);
    }

    /** Event loop: the slot {@code ahead} of the next to be taken; fewer than {@link #waiting} ahead. */
    S peek(int ahead) {
        return slot(taken + ahead);
    }

    /** Event loop: takes the next published slot, or null if there is none. */
    @Nullable
    S take() {
        return waiting() == 0 ? null : slot(taken++);
    }

    /** Event loop: the oldest slot that was taken and not retired, or null. */
    @Nullable
    S oldest() {
        return retired == taken ? null : slot(retired);
    }

    /** Event loop: the oldest taken slot is worked off. Its content must be cleared. Its place is released later. */
    void retire() {
        retired++;
    }

    /** One retired slot may be claimed again. Event loop; any thread after {@link #releasedByConsumer}. */
    @Override
    public void release() {
        if (severalRelease) {
            released.incrementAndGet();
        } else {
            released.setRelease(released.getPlain() + 1);
        }
    }

    /** Event loop: retires and releases the oldest taken slot. */
    void free() {
        retire();
        release();
    }

    /**
     * Lets other threads than the event loop release slots.
     *
     * @throws IllegalStateException if a slot was claimed before
     */
    @Override
    public void releasedByConsumer() {
        if (claimed.get() != 0) {
            throw new IllegalStateException(
                    "something was posted already: set completion queues before the first post");
        }
        severalRelease = true;
    }

    /** From now on nothing can be claimed. May be called again. */
    void close() {
        claimed.accumulateAndGet(CLOSED, (position, mark) -> position | mark);
    }

    /** Returns the number of requests claimed and not taken; any thread; exact on the event loop once closed. */
    int untaken() {
        return claimedSince((long) TAKEN.getOpaque(this));
    }

    /** Returns the number of requests claimed and not released; any thread, a moment's view unless closed. */
    @Override
    public int uncompleted() {
        return claimedSince(released.get());
    }

    /** The position behind was read first. The claims may have gone ahead of it by more than the depth since. */
    private int claimedSince(long position) {
        return (int) Math.min(depth, (claimed.get() & ~CLOSED) - position);
    }

    private S slot(long position) {
        S slot = slots.getPlain((int) position & mask);
        if (slot == null) {
            throw new IllegalStateException("slot " + position + " was published empty");
        }
        return slot;
    }
}
