package io.iwarp.verbs;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The posts with a future that found the send queue full, in their order. They have no slot yet: the event loop moves
 * them into the {@link PostRing} when places are released. Any thread adds, the event loop removes.
 *
 * <p>One atomic number holds the count, the bytes and whether the queue is closed. A post reserves its place there,
 * then adds itself, then wakes the event loop. The event loop may therefore see a reserved place that is not filled
 * yet; the post wakes it later. Until the place is released, {@link #size} is not 0 for any thread, so no later post
 * overtakes this one.
 */
final class PendingPosts {
    /** The greatest number of posts. */
    static final int MAX_POSTS = 1 << 20;
    /** The greatest number of bytes, without those of the last post. */
    static final long MAX_BYTES = 1L << 40;

    private static final int COUNT_SHIFT = 41;
    private static final long ONE = 1L << COUNT_SHIFT;
    private static final long BYTES = ONE - 1;
    private static final long CLOSED = 1L << 62;

    private final int maxPosts;
    private final long maxBytes;
    private final AtomicLong state = new AtomicLong();
    private final Queue<WorkRequest> posts = new ConcurrentLinkedQueue<>();

    PendingPosts(int maxPosts, long maxBytes) {
        this.maxPosts = maxPosts;
        this.maxBytes = maxBytes;
    }

    /** Any thread: returns the number of posts. Exact on the event loop once closed. */
    int size() {
        return count(state.get());
    }

    /** Any thread: returns the bytes of the posts. */
    long bytes() {
        return state.get() & BYTES;
    }

    private static int count(long value) {
        return (int) ((value & ~CLOSED) >>> COUNT_SHIFT);
    }

    /**
     * Any thread: reserves a place, which must be filled with {@link #add}.
     *
     * @param bytes 0 to 2^32 - 1; a post that exceeds the limit alone is taken if no other waits
     * @return false if there is no room, or the queue is closed
     */
    boolean reserve(long bytes) {
        long before = state.get();
        while ((before & CLOSED) == 0 && hasRoom(count(before), before & BYTES, bytes)) {
            if (state.compareAndSet(before, before + ONE + bytes)) {
                return true;
            }
            before = state.get();
        }
        return false;
    }

    private boolean hasRoom(int count, long taken, long bytes) {
        return count < maxPosts && (count == 0 || bytes <= maxBytes - taken);
    }

    /** Any thread: fills a reserved place. */
    void add(WorkRequest request) {
        posts.add(request);
    }

    /** Event loop: returns the oldest post, or null. */
    @Nullable
    WorkRequest peek() {
        return posts.peek();
    }

    /**
     * Event loop: removes a post, and frees its place.
     *
     * @param bytes as reserved
     * @return false if the post is not pending
     */
    boolean remove(WorkRequest request, long bytes) {
        boolean removed = posts.remove(request);
        if (removed) {
            state.addAndGet(-ONE - bytes);
        }
        return removed;
    }

    /** Refuses further posts. May be called again. */
    void close() {
        state.accumulateAndGet(CLOSED, (value, mark) -> value | mark);
    }
}
