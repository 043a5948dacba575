package io.iwarp.examples.kv;

import io.iwarp.examples.kv.Protocol.Entry;
import io.iwarp.examples.kv.Protocol.Hash;
import io.iwarp.examples.kv.Protocol.Outcome;
import io.iwarp.examples.kv.Protocol.Put;
import io.iwarp.examples.kv.Protocol.Reply;
import io.iwarp.examples.kv.Protocol.Slot;
import io.iwarp.examples.kv.Protocol.TornReadException;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The memory of the server. Only the server writes it, and any number of clients read it by RDMA.
 *
 * <p>A put writes a new entry, then the slot that points to it, and then frees the old entry. So a key can be read at
 * any time, and no client needs a lock. A key never changes its slot.
 *
 * <p>Thread-safe: puts are executed one at a time.
 */
final class Store implements AutoCloseable {
    private static final int SLOTS_PER_ENTRY = 2;
    private static final byte[] NOTHING = {};

    private final int maxEntries;
    private final long buckets;
    private final byte[] seed = new byte[Protocol.SEED_LENGTH];
    private final MemoryRegion index;
    private final MemoryRegion values;
    private final MemoryRegion hits;
    private final Blocks blocks;
    private final ByteBuf scratch = Unpooled.buffer(Entry.MAX, Entry.MAX);
    private int entries;
    private long lastVersion;
    private long refusals;

    /** A slot, by its number, and what is in it. */
    private record Place(long number, Slot slot) {}

    /**
     * Allocates and registers the memory, without access rights: the windows of a client grant them.
     *
     * @param maxEntries the most keys, at least 1; each takes 80 bytes beside its entry
     * @param valueBytes for keys and values together
     */
    Store(ProtectionDomain domain, int maxEntries, long valueBytes) {
        this.maxEntries = maxEntries;
        this.buckets = ((long) maxEntries * SLOTS_PER_ENTRY + Protocol.BUCKET_SLOTS - 1) / Protocol.BUCKET_SLOTS;
        this.blocks = new Blocks(valueBytes);
        index = register(domain, Protocol.SEED_LENGTH + buckets * Protocol.BUCKET_LENGTH);
        values = register(domain, valueBytes);
        hits = register(domain, buckets * Protocol.BUCKET_SLOTS * Protocol.COUNTER_LENGTH);
        new SecureRandom().nextBytes(seed);
        index.setBytes(0, Unpooled.wrappedBuffer(seed));
    }

    private static MemoryRegion register(ProtectionDomain domain, long bytes) {
        return domain.region().allocate(ByteBufAllocator.DEFAULT, bytes).register();
    }

    /** Returns what a client may read until its connection ends. */
    RemoteBuffer[] readable(QueuePair client) {
        return new RemoteBuffer[] {
            window(index, AccessRight.REMOTE_READ, client), window(values, AccessRight.REMOTE_READ, client)
        };
    }

    /** Returns the counters of hits, which a client may change until its connection ends. */
    RemoteBuffer counters(QueuePair client) {
        return window(hits, AccessRight.REMOTE_ATOMIC, client);
    }

    private static RemoteBuffer window(MemoryRegion region, AccessRight right, QueuePair client) {
        return client.window(region, 0, region.length()).rights(right).bind().remoteBuffer();
    }

    /** Executes a put. When this returns, every Read that begins finds the value, or a later one. */
    synchronized Reply put(Put put) {
        Hash hash = Hash.of(seed, put.key(), buckets);
        Place place = find(hash, put.key());
        if (place == null) {
            return refused("the server has no slot left for this key: start it with more --entries");
        }
        Slot old = place.slot();
        if (!isMet(put, old)) {
            return new Reply(Outcome.DIFFERENT, old.version(), old.isFree() ? NOTHING : value(old));
        }
        if (old.isFree() && entries == maxEntries) {
            return refused("the server has room for " + maxEntries + " keys: start it with more --entries");
        }
        int length = Entry.length(put.key().length, put.value().length);
        long offset = blocks.take(length);
        if (offset == Blocks.NONE) {
            return refused("of the " + values.length() + " bytes for keys and values no " + length
                    + " in a row are free: start the server with more --memory");
        }
        long version = ++lastVersion;
        values.setBytes(offset, Entry.encode(version, put.key(), put.value()));
        Slot fresh = new Slot(version, offset, put.key().length, put.value().length, hash.tag());
        index.setBytes(offsetOf(place.number()), fresh.encode());
        if (old.isFree()) {
            entries++;
        } else {
            blocks.giveBack(old.offset(), old.entryLength());
        }
        return new Reply(Outcome.DONE, version, NOTHING);
    }

    private boolean isMet(Put put, Slot old) {
        return switch (put.condition()) {
            case ALWAYS -> true;
            case VERSION -> put.version() == old.version();
            case VALUE -> !old.isFree() && Arrays.equals(put.expected(), value(old));
        };
    }

    private Reply refused(String reason) {
        refusals++;
        return new Reply(Outcome.NO_ROOM, 0, reason.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the place of the key, or a free one in its bucket with more room, or null if both are full. */
    private Place find(Hash hash, byte[] key) {
        Place best = null;
        int mostFree = 0;
        for (long bucket : new long[] {hash.first(), hash.second()}) {
            int free = 0;
            Place last = null;
            for (int i = 0; i < Protocol.BUCKET_SLOTS; i++) {
                long number = bucket * Protocol.BUCKET_SLOTS + i;
                Slot slot = slot(number);
                if (slot.mayHold(hash, key) && isOf(key, slot)) {
                    return new Place(number, slot);
                }
                if (slot.isFree()) {
                    free++;
                    last = new Place(number, slot);
                }
            }
            if (free > mostFree) {
                mostFree = free;
                best = last;
            }
        }
        return best;
    }

    private static long offsetOf(long slot) {
        return Protocol.SEED_LENGTH + slot * Protocol.SLOT_LENGTH;
    }

    private Slot slot(long number) {
        index.getBytes(offsetOf(number), scratch.clear(), Protocol.SLOT_LENGTH);
        try {
            return Slot.decode(scratch, 0);
        } catch (TornReadException e) {
            throw new IllegalStateException("slot " + number + " of the index was damaged", e);
        }
    }

    private boolean isOf(byte[] key, Slot slot) {
        values.getBytes(slot.offset(), scratch.clear(), slot.entryLength());
        try {
            return Entry.isOf(key, scratch, 0, slot);
        } catch (TornReadException e) {
            throw new IllegalStateException("the entry at " + slot.offset() + " was damaged", e);
        }
    }

    private byte[] value(Slot slot) {
        values.getBytes(slot.offset(), scratch.clear(), slot.entryLength());
        return Entry.value(scratch, 0, slot);
    }

    synchronized int entries() {
        return entries;
    }

    int maxEntries() {
        return maxEntries;
    }

    /** Returns the bytes of keys and values, including rounding. */
    synchronized long usedBytes() {
        return blocks.used;
    }

    long maxBytes() {
        return values.length();
    }

    synchronized long puts() {
        return lastVersion;
    }

    synchronized long refusals() {
        return refusals;
    }

    /** Invalidates the STags of all clients and closes the memory. */
    @Override
    public void close() {
        index.close();
        values.close();
        hits.close();
    }

    /**
     * Hands out parts of the values. They have one of few sizes, and are used again for the next entry of their size.
     */
    private static final class Blocks {
        static final long NONE = -1;

        private static final int MIN = 32;
        private static final int SIZES_PER_DOUBLING = 4;

        private final long capacity;
        private final Map<Integer, Deque<Long>> free = new HashMap<>();
        private long touched;
        private long used;

        Blocks(long capacity) {
            this.capacity = capacity;
        }

        long take(int bytes) {
            int size = sizeFor(bytes);
            Deque<Long> reusable = free.getOrDefault(size, new ArrayDeque<>());
            long offset = reusable.isEmpty() ? touched : reusable.pop();
            if (offset == touched) {
                if (capacity - touched < size) {
                    return NONE;
                }
                touched += size;
            }
            used += size;
            return offset;
        }

        void giveBack(long offset, int bytes) {
            int size = sizeFor(bytes);
            used -= size;
            free.computeIfAbsent(size, unseen -> new ArrayDeque<>()).push(offset);
        }

        private static int sizeFor(int bytes) {
            int step = Math.max(MIN, Integer.highestOneBit(bytes) / SIZES_PER_DOUBLING);
            return (bytes + step - 1) / step * step;
        }
    }
}
