package io.iwarp.memory;

/**
 * The STags that were retired last. They must not be issued again soon: a peer that still uses the STag of a closed region
 * must not access another region with it (RFC 5040 section 8.1.1 rule 8).
 *
 * <p>A ring keeps the order, and an open-addressing set finds a member. STag 0, which is never issued, marks a free
 * slot of the set. Both grow with use up to 768 KiB. The caller holds the lock of the device.
 */
final class RetiredSTags {
    /** An STag can be issued again after this many later ones were retired. */
    static final int QUARANTINE = 1 << 16;

    private static final int FIRST_CAPACITY = 64;
    private static final int FREE = 0;

    private int[] ring = new int[FIRST_CAPACITY];
    private int oldest;
    private int size;
    /** Twice as long as the ring, a power of two, so at most half full. */
    private int[] set = new int[2 * FIRST_CAPACITY];

    /** Returns whether this STag is among the last {@link #QUARANTINE} that were retired. */
    boolean contains(int stag) {
        return set[placeOf(stag)] == stag;
    }

    /** Returns the number of STags, at most {@link #QUARANTINE}. */
    int size() {
        return size;
    }

    /** Adds an STag that is not a member. Removes the oldest one if there are {@link #QUARANTINE}. */
    void add(int stag) {
        if (size == QUARANTINE) {
            remove(ring[oldest]);
            oldest = next(oldest, ring);
            size--;
        } else if (size == ring.length) {
            grow();
        }
        ring[(oldest + size) & (ring.length - 1)] = stag;
        size++;
        set[placeOf(stag)] = stag;
    }

    private void grow() {
        int[] larger = new int[2 * ring.length];
        set = new int[2 * larger.length];
        for (int i = 0; i < size; i++) {
            int stag = ring[(oldest + i) & (ring.length - 1)];
            larger[i] = stag;
            set[placeOf(stag)] = stag;
        }
        ring = larger;
        oldest = 0;
    }

    /** Returns the slot of the set with this STag, or the free slot where it belongs. */
    private int placeOf(int stag) {
        int place = home(stag);
        while (set[place] != stag && set[place] != FREE) {
            place = next(place, set);
        }
        return place;
    }

    /** Removes a member and moves later ones of its run up, so that no gap hides them. */
    private void remove(int stag) {
        int gap = placeOf(stag);
        for (int place = next(gap, set); set[place] != FREE; place = next(place, set)) {
            int mask = set.length - 1;
            int distanceFromHome = (place - home(set[place])) & mask;
            int distanceFromGap = (place - gap) & mask;
            if (distanceFromHome >= distanceFromGap) {
                set[gap] = set[place];
                gap = place;
            }
        }
        set[gap] = FREE;
    }

    private int home(int stag) {
        return stag & (set.length - 1);
    }

    private static int next(int place, int[] array) {
        return (place + 1) & (array.length - 1);
    }
}
