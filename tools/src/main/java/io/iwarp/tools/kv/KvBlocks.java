package io.iwarp.tools.kv;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Allocates blocks of the values region. Blocks have one of few sizes, at most a fourth more than requested or 32
 * bytes. A freed block is reused for the next entry of its size. Not thread-safe.
 */
final class KvBlocks {
    /** There is no room. */
    static final long NONE = -1;

    private static final int LEAST = 32;

    private final long capacity;
    private final Map<Integer, Deque<Long>> free = new HashMap<>();
    private long touched;
    private long used;

    /**
     * @param capacity bytes in all
     */
    KvBlocks(long capacity) {
        this.capacity = capacity;
    }

    /** Allocates a block for the given number of bytes. Returns its offset, or {@link #NONE}. */
    long take(int bytes) {
        int size = sizeFor(bytes);
        Deque<Long> reusable = free.get(size);
        if (reusable != null && !reusable.isEmpty()) {
            used += size;
            return reusable.pop();
        }
        if (capacity - touched < size) {
            return NONE;
        }
        long offset = touched;
        touched += size;
        used += size;
        return offset;
    }

    /** Frees a block that was allocated for the given number of bytes. */
    void giveBack(long offset, int bytes) {
        int size = sizeFor(bytes);
        used -= size;
        free.computeIfAbsent(size, unseen -> new ArrayDeque<>()).push(offset);
    }

    /** Returns the bytes in blocks that are in use. */
    long used() {
        return used;
    }

    private static int sizeFor(int bytes) {
        int step = Math.max(LEAST, Integer.highestOneBit(bytes) / 4);
        return (bytes + step - 1) / step * step;
    }
}
