package io.iwarp.internal.memory;

import java.util.Random;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The STags of a device: the valid ones with their buffers, and those that were retired last. A retired STag must not
 * be issued again soon: a peer that still uses the STag of a closed region must not access another region with it (RFC
 * 5040 section 8.1.1 rule 8).
 *
 * <p>Any thread may call any method. {@link #find} takes no lock and allocates nothing. The valid STags are an array of
 * chains, which are immutable arrays. A change replaces a chain, and growing replaces the array of chains. A reader
 * that still walks the old one sees a slightly older state. This is harmless, because a tagged buffer has its own state
 * of revocation. STags are random numbers, so their upper bits serve as a hash.
 *
 * <p>Of the retired STags, a ring keeps the order, and an open-addressing set finds a member. STag 0, which is never
 * issued, marks a free slot of the set. Both grow with use up to 768 KiB.
 */
final class STagTable {
    /** An STag can be issued again after this many later ones were retired. */
    static final int QUARANTINE = 1 << 16;

    private static final int FIRST_CHAINS = 16;
    private static final int FIRST_RETIRED = 64;
    private static final int FREE = 0;

    private final Random random;
    private volatile AtomicReferenceArray<TaggedBuffer @Nullable []> chains = new AtomicReferenceArray<>(FIRST_CHAINS);
    /** Guards changes of the chains, and all fields below. */
    private final ReentrantLock lock = new ReentrantLock();

    private int valid;
    private long retirements;
    private int[] retired = new int[FIRST_RETIRED];
    private int oldest;
    private int quarantined;
    /** Twice as long as the ring, a power of two, so at most half full. */
    private int[] retiredSet = new int[2 * FIRST_RETIRED];

    /** Creates a table without STags. */
    STagTable(Random random) {
        this.random = random;
    }

    /** Returns the tagged buffer of a valid STag, or null. */
    @Nullable
    TaggedBuffer find(int stag) {
        AtomicReferenceArray<TaggedBuffer @Nullable []> table = chains;
        TaggedBuffer[] chain = table.get(slot(table, stag));
        if (chain != null) {
            for (TaggedBuffer buffer : chain) {
                if (buffer.stag() == stag) {
                    return buffer;
                }
            }
        }
        return null;
    }

    /**
     * Issues a new STag.
     *
     * @param factory creates the tagged buffer for a given STag
     */
    TaggedBuffer issue(IntFunction<TaggedBuffer> factory) {
        lock.lock();
        try {
            TaggedBuffer buffer = factory.apply(drawSTag());
            buffer.memory().onIssue(buffer.rights());
            add(buffer);
            return buffer;
        } finally {
            lock.unlock();
        }
    }

    /** Makes an STag unknown. Called once for each tagged buffer, after it was revoked. */
    void retire(TaggedBuffer buffer) {
        lock.lock();
        try {
            remove(buffer);
            quarantine(buffer.stag());
            retirements++;
            buffer.memory().onRetire(buffer.rights());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of STags that were ever retired. */
    long retirements() {
        lock.lock();
        try {
            return retirements;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of retired STags that must not be issued again yet, at most {@link #QUARANTINE}. */
    int quarantined() {
        lock.lock();
        try {
            return quarantined;
        } finally {
            lock.unlock();
        }
    }

    private int drawSTag() {
        int stag;
        do {
            stag = random.nextInt();
        } while (stag == 0 || find(stag) != null || retiredSet[placeOf(stag)] == stag);
        return stag;
    }

    private void add(TaggedBuffer buffer) {
        if (valid == chains.length()) {
            AtomicReferenceArray<TaggedBuffer @Nullable []> larger = new AtomicReferenceArray<>(2 * valid);
            for (int slot = 0; slot < valid; slot++) {
                TaggedBuffer[] chain = chains.get(slot);
                if (chain != null) {
                    for (TaggedBuffer moved : chain) {
                        append(larger, moved);
                    }
                }
            }
            chains = larger;
        }
        append(chains, buffer);
        valid++;
    }

    private static void append(AtomicReferenceArray<TaggedBuffer @Nullable []> table, TaggedBuffer buffer) {
        int slot = slot(table, buffer.stag());
        TaggedBuffer[] chain = table.get(slot);
        int length = chain == null ? 0 : chain.length;
        TaggedBuffer[] longer = new TaggedBuffer[length + 1];
        if (chain != null) {
            System.arraycopy(chain, 0, longer, 0, length);
        }
        longer[length] = buffer;
        table.set(slot, longer);
    }

    private void remove(TaggedBuffer buffer) {
        AtomicReferenceArray<TaggedBuffer @Nullable []> table = chains;
        int slot = slot(table, buffer.stag());
        TaggedBuffer[] chain = table.get(slot);
        if (chain != null) {
            TaggedBuffer[] rest = new TaggedBuffer[chain.length - 1];
            int kept = 0;
            for (TaggedBuffer other : chain) {
                if (other != buffer) {
                    rest[kept++] = other;
                }
            }
            table.set(slot, kept == 0 ? null : rest);
        }
        valid--;
    }

    /** Returns as many upper bits of the STag as a table of this length, a power of two, needs. */
    private static int slot(AtomicReferenceArray<TaggedBuffer @Nullable []> table, int stag) {
        return stag >>> (Integer.numberOfLeadingZeros(table.length()) + 1);
    }

    /** Adds a retired STag. Removes the oldest one if there are {@link #QUARANTINE}. */
    private void quarantine(int stag) {
        if (quarantined == QUARANTINE) {
            removeRetired(retired[oldest]);
            oldest = next(oldest, retired);
            quarantined--;
        } else if (quarantined == retired.length) {
            growQuarantine();
        }
        retired[(oldest + quarantined) & (retired.length - 1)] = stag;
        quarantined++;
        retiredSet[placeOf(stag)] = stag;
    }

    private void growQuarantine() {
        int[] larger = new int[2 * retired.length];
        retiredSet = new int[2 * larger.length];
        for (int i = 0; i < quarantined; i++) {
            int stag = retired[(oldest + i) & (retired.length - 1)];
            larger[i] = stag;
            retiredSet[placeOf(stag)] = stag;
        }
        retired = larger;
        oldest = 0;
    }

    /** Returns the slot of the set with this STag, or the free slot where it belongs. */
    private int placeOf(int stag) {
        int place = home(stag);
        while (retiredSet[place] != stag && retiredSet[place] != FREE) {
            place = next(place, retiredSet);
        }
        return place;
    }

    /** Removes a member of the set by backward-shift deletion. */
    private void removeRetired(int stag) {
        int gap = placeOf(stag);
        for (int place = next(gap, retiredSet); retiredSet[place] != FREE; place = next(place, retiredSet)) {
            int mask = retiredSet.length - 1;
            int distanceFromHome = (place - home(retiredSet[place])) & mask;
            int distanceFromGap = (place - gap) & mask;
            if (distanceFromHome >= distanceFromGap) {
                retiredSet[gap] = retiredSet[place];
                gap = place;
            }
        }
        retiredSet[gap] = FREE;
    }

    private int home(int stag) {
        return stag & (retiredSet.length - 1);
    }

    private static int next(int place, int[] array) {
        return (place + 1) & (array.length - 1);
    }
}
