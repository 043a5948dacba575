package io.iwarp.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A first-in, first-out queue for objects that are reused. Each element has a position, counted from 0, so that the
 * owner can keep several marks in the queue.
 *
 * <p>A removed element stays in its slot, and a slot is written only if a different element is added. Re-adding
 * elements in the same order, such as the slots of a queue pair, thus needs no reference store and no GC write barrier.
 * With G1, that barrier costs a fence and concurrent refinement when the array is old: more than everything else here
 * ({@code QueueBenchmark}). In exchange the queue keeps its last elements reachable, as many as it has slots: the
 * smallest power of two for the maximum size so far.
 *
 * <p>Not thread-safe.
 *
 * @param <E> the type of the elements
 */
public final class RingQueue<E> {
    private static final int MIN_CAPACITY = 8;

    private @Nullable Object[] slots = new Object[MIN_CAPACITY];
    private long first;
    private long end;

    /** Creates an empty queue. */
    public RingQueue() {}

    /** Returns the position of the oldest element, or {@link #end} if there is none. */
    public long first() {
        return first;
    }

    /** Returns the position after the newest element. */
    public long end() {
        return end;
    }

    /** Returns the number of elements. */
    public int size() {
        return (int) (end - first);
    }

    /** Returns whether there is no element. */
    public boolean isEmpty() {
        return first == end;
    }

    /** Adds an element at {@link #end}. */
    public void add(E element) {
        if (size() == slots.length) {
            grow();
        }
        int slot = slotOf(end);
        if (slots[slot] != element) {
            slots[slot] = element;
        }
        end++;
    }

    /**
     * Returns the element at a position.
     *
     * @param position at least {@link #first}, less than {@link #end}
     */
    public E get(long position) {
        if (position < first || position >= end) {
            throw new IndexOutOfBoundsException("position " + position + ", there are " + first + " to " + (end - 1));
        }
        return at(position);
    }

    /** Returns the oldest element, or null if there is none. */
    public @Nullable E peek() {
        return isEmpty() ? null : at(first);
    }

    /**
     * Removes and returns the oldest element.
     *
     * @throws NoSuchElementException if there is none
     */
    public E remove() {
        if (isEmpty()) {
            throw new NoSuchElementException("the queue is empty");
        }
        return at(first++);
    }

    /**
     * Removes and returns the elements from a position on, oldest first. The queue does not keep references to them.
     *
     * @param position at least {@link #first}, at most {@link #end}
     */
    public List<E> removeFrom(long position) {
        if (position < first || position > end) {
            throw new IndexOutOfBoundsException("position " + position + ", there are " + first + " to " + (end - 1));
        }
        List<E> removed = new ArrayList<>((int) (end - position));
        for (long each = position; each < end; each++) {
            removed.add(at(each));
            slots[slotOf(each)] = null;
        }
        end = position;
        return removed;
    }

    private void grow() {
        @Nullable Object[] larger = new Object[2 * slots.length];
        for (long each = first; each < end; each++) {
            larger[(int) each & (larger.length - 1)] = slots[slotOf(each)];
        }
        slots = larger;
    }

    private int slotOf(long position) {
        return (int) position & (slots.length - 1);
    }

    @SuppressWarnings("unchecked") // only add writes slots
    private E at(long position) {
        return (E) Objects.requireNonNull(slots[slotOf(position)]);
    }
}
