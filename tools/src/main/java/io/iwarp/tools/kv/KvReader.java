package io.iwarp.tools.kv;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.QueuePair;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds and reads entries in the server's memory, again and again until what was read is whole. The first Read of a key
 * takes a round trip for its bucket and one for its entry. Where it was is remembered: the next time slot and entry are
 * read at once, in one round trip, which will do if the slot still says the same.
 *
 * <p>One thread uses it.
 */
final class KvReader implements AutoCloseable {
    private static final int MOST_REMEMBERED = 4096;
    private static final float LOAD_FACTOR = 0.75f;

    private final QueuePair queuePair;
    private final KvGrant grant;
    private final Patience patience;
    private final KvSink sink;
    private final Map<String, Place> places = new Places();
    private final AtomicLong retries = new AtomicLong();

    /**
     * A key that was found.
     *
     * @param place where
     * @param value that was there
     */
    record Found(Place place, KvValue value) {}

    /**
     * Where a key is: it stays in its slot for ever.
     *
     * @param slot number of the slot
     * @param content of the slot when it was read
     */
    record Place(long slot, KvSlot content) {}

    /** Those that were used last. */
    private static final class Places extends LinkedHashMap<String, Place> {
        private static final long serialVersionUID = 1L;

        Places() {
            super(MOST_REMEMBERED, LOAD_FACTOR, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Place> eldest) {
            return size() > MOST_REMEMBERED;
        }
    }

    /** The bytes read mix two versions, or are incomplete. */
    private static final class TornReadException extends Exception {
        private static final long serialVersionUID = 1L;

        TornReadException() {
            super("what was read changed meanwhile", null, false, false);
        }
    }

    KvReader(QueuePair queuePair, ProtectionDomain domain, KvGrant grant, Patience patience) {
        this.queuePair = queuePair;
        this.grant = grant;
        this.patience = patience;
        this.sink = new KvSink(domain);
    }

    /** Returns the key with its value, or null if it is not there. */
    @Nullable
    Found find(String key, byte[] bytes) throws IOException, InterruptedException {
        long deadline = patience.deadline();
        while (System.nanoTime() - deadline < 0) {
            try {
                Place place = places.get(key);
                Found found = place == null ? search(bytes) : readAgain(place);
                if (found != null) {
                    places.put(key, found.place());
                }
                return found;
            } catch (TornReadException e) {
                // The server was changing it. It is done when the next Read arrives.
                retries.incrementAndGet();
            }
        }
        throw new IOException("the key changed each time that it was read, for "
                + patience.limit().toSeconds() + " s: too many write it");
    }

    /** Returns where the key was found last, or null. */
    @Nullable
    Place remembered(String key) {
        return places.get(key);
    }

    /** Returns how often a read was repeated because of a concurrent change. Any thread may call this method. */
    long retries() {
        return retries.get();
    }

    private @Nullable Found search(byte[] key) throws IOException, InterruptedException, TornReadException {
        int hash = KvLayout.hash(key);
        for (long probe = 0; probe < grant.slots() / KvLayout.BUCKET_SLOTS; probe++) {
            long bucket = KvLayout.bucket(hash, probe, grant.slots());
            patience.await(readSlots(bucket, KvLayout.BUCKET_SLOTS));
            for (int i = 0; i < KvLayout.BUCKET_SLOTS; i++) {
                KvSlot slot = slot(i);
                if (slot.isFree()) {
                    return null;
                }
                if (slot.mayHold(hash, key)) {
                    Place place = new Place(bucket + i, slot);
                    KvValue value = value(place, readEntry(slot), readWord(place));
                    if (sink.isOf(key)) {
                        return new Found(place, value);
                    }
                }
            }
        }
        return null;
    }

    /** Reads slot and entry at once. */
    private Found readAgain(Place place) throws IOException, InterruptedException, TornReadException {
        CompletableFuture<Completion> slotRead = readSlots(place.slot(), 1);
        CompletableFuture<Completion> entryRead = readEntry(place.content());
        CompletableFuture<Completion> wordRead = readWord(place);
        patience.await(slotRead);
        KvSlot now = slot(0);
        if (!now.equals(place.content())) {
            // Ensure that no Read can still write to the sink when the next one is posted.
            patience.await(entryRead);
            Place moved = new Place(place.slot(), now);
            return new Found(moved, value(moved, readEntry(now), readWord(moved)));
        }
        return new Found(place, value(place, entryRead, wordRead));
    }

    private KvValue value(Place place, CompletableFuture<Completion> entryRead, CompletableFuture<Completion> wordRead)
            throws IOException, InterruptedException, TornReadException {
        patience.await(entryRead);
        KvSlot slot = place.content();
        if (!sink.isIntact(slot)) {
            throw new TornReadException();
        }
        if (!slot.inWord()) {
            return new KvValue(sink.value(slot), slot.version());
        }
        long word = patience.await(wordRead).original();
        if (word == KvWord.ELSEWHERE) {
            throw new TornReadException();
        }
        return new KvValue(KvWord.value(word), slot.version());
    }

    private KvSlot slot(int number) throws IOException, TornReadException {
        KvSlot slot = sink.slot(number);
        if (slot == null) {
            throw new TornReadException();
        }
        if (slot.keyLength() > KvLimits.LONGEST_KEY || slot.valueLength() > KvLimits.LONGEST_VALUE) {
            throw new IOException("the server's index has " + slot + ": use the same version on both sides");
        }
        return slot;
    }

    private CompletableFuture<Completion> readSlots(long first, int count) {
        RemoteBuffer source = grant.index().slice(first * KvSlot.LENGTH, (long) count * KvSlot.LENGTH);
        return queuePair.futures().read(sink.region(), 0, source);
    }

    private CompletableFuture<Completion> readEntry(KvSlot slot) {
        RemoteBuffer source = grant.values().slice(slot.offset(), slot.entryLength());
        return queuePair.futures().read(sink.region(), KvSink.ENTRY, source);
    }

    /** Reads with an atomic, as an RDMA Read is not atomic with respect to compare-swaps. */
    private CompletableFuture<Completion> readWord(Place place) {
        return place.content().inWord()
                ? queuePair.fetchAdd(grant.word(place.slot()), 0)
                : CompletableFuture.completedFuture(null);
    }

    /** Call this method after the queue pair is closed. */
    @Override
    public void close() {
        sink.close();
    }
}
