package io.iwarp.tools.kv;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Which bytes of the values are in use. Blocks have one of few sizes, at most a fourth more than was asked for or 32
 * bytes; one that was given back serves the next entry of its size. Not safe for use by several threads at a time.
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

    /** Returns the offset of a block for so many bytes, or {@link #NONE}. */
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

    /** Gives a block back that was taken for so many bytes. */
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
