package io.iwarp.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A first-in, first-out queue for objects that come again and again. Its elements have positions, counted from 0 for ever,
 * so that its owner can keep several marks in it.
 *
 * <p>A place keeps its element when that is removed, and is written only if another one comes: objects that come round in
 * the same order, as the slots of a queue pair do, are queued without writing a reference. A garbage collector makes such a
 * write into an old object cost more than everything else here (G1: a fence, and work for another thread). In exchange
 * the queue keeps its last elements reachable, as many as it has places: the smallest power of two for the most that were
 * in it at a time.
 *
 * <p>It belongs to one thread.
 *
 * @param <E> what is queued
 */
public final class RingQueue<E> {
    private static final int SMALLEST_CAPACITY = 8;

    private @Nullable Object[] places = new Object[SMALLEST_CAPACITY];
    private long first;
    private long end;

    /** An empty queue. */
    public RingQueue() {}

    /** {@return the position of the oldest element, or of the next one if there is none} */
    public long first() {
        return first;
    }

    /** {@return the position behind the newest element} */
    public long end() {
        return end;
    }

    /** {@return the number of elements} */
    public int size() {
        return (int) (end - first);
    }

    /** {@return whether there is no element} */
    public boolean isEmpty() {
        return first == end;
    }

    /** Adds an element at {@link #end}. */
    public void add(E element) {
        if (size() == places.length) {
            grow();
        }
        int place = placeOf(end);
        if (places[place] != element) {
            places[place] = element;
        }
        end++;
    }

    /**
     * {@return the element at a position}
     *
     * @param position at least {@link #first}, less than {@link #end}
     */
    public E get(long position) {
        if (position < first || position >= end) {
            throw new IndexOutOfBoundsException("position " + position + ", there are " + first + " to " + (end - 1));
        }
        return at(position);
    }

    /** {@return the oldest element, or null if there is none} */
    public @Nullable E peek() {
        return isEmpty() ? null : at(first);
    }

    /**
     * {@return the oldest element, which is in the queue no longer}
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
     * {@return the elements from a position on, oldest first, which are in the queue no longer; it does not keep them}
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
            places[placeOf(each)] = null;
        }
        end = position;
        return removed;
    }

    private void grow() {
        @Nullable Object[] larger = new Object[2 * places.length];
        for (long each = first; each < end; each++) {
            larger[(int) each & (larger.length - 1)] = places[placeOf(each)];
        }
        places = larger;
    }

    private int placeOf(long position) {
        return (int) position & (places.length - 1);
    }

    @SuppressWarnings("unchecked") // only add writes places
    private E at(long position) {
        return (E) Objects.requireNonNull(places[placeOf(position)]);
    }
}
