package io.iwarp.tools.kv;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.StreamAssociation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The cache in the server. Only the server writes the index and the values. Any number of clients read them with RDMA.
 * A client detects a concurrent change with the checks of {@link KvSlot} and {@link KvEntry}, and reads again.
 *
 * <p>A put writes a new entry, then the slot that points to it, and then frees the old entry. So a key can be read at
 * any time, and clients need no lock.
 *
 * <p>Thread-safe. Puts are executed one at a time. A put takes as long as copying the value.
 */
public final class KvStore implements AutoCloseable {
    private static final int SLOTS_PER_ENTRY = 2;
    private static final byte[] NOTHING = {};

    private final long slots;
    private final int mostEntries;
    private final MemoryRegion index;
    private final MemoryRegion values;
    private final MemoryRegion cells;
    private final KvBlocks blocks;
    private final ByteBuf scratch = Unpooled.buffer(KvEntry.length(KvLimits.LONGEST_KEY, KvLimits.LONGEST_VALUE));
    private int entries;
    private long lastVersion;
    private long refusals;

    /** Where a key is or can be: the number of a slot, and what is in it. */
    private record Place(long slot, KvSlot content) {}

    /**
     * Allocates and registers the memory.
     *
     * @param domain the protection domain of the connections
     * @param allocator allocates the memory
     * @param entries the maximum number of keys, 1 to {@link KvLimits#MOST_ENTRIES}; each takes 160 bytes
     * @param valueBytes for keys and values together, at least 1
     */
    public KvStore(ProtectionDomain domain, ByteBufAllocator allocator, int entries, long valueBytes) {
        this.mostEntries = entries;
        this.slots = (long) Math.max(entries, KvLayout.BUCKET_SLOTS)
                * SLOTS_PER_ENTRY
                / KvLayout.BUCKET_SLOTS
                * KvLayout.BUCKET_SLOTS;
        List<MemoryRegion> regions =
                register(domain, allocator, valueBytes, slots * KvSlot.LENGTH, slots * KvLayout.CELL_LENGTH);
        this.values = regions.get(0);
        this.index = regions.get(1);
        this.cells = regions.get(2);
        this.blocks = new KvBlocks(valueBytes);
    }

    /** Registers all regions, or none if it throws. They have no access rights: the windows of a client grant them. */
    private static List<MemoryRegion> register(ProtectionDomain domain, ByteBufAllocator allocator, long... lengths) {
        List<MemoryRegion> regions = new ArrayList<>();
        try {
            for (long length : lengths) {
                regions.add(domain.region().allocate(allocator, length).register());
            }
            return regions;
        } catch (RuntimeException | Error e) {
            regions.forEach(MemoryRegion::close);
            throw e;
        }
    }

    /** Returns the grant for a client. It ends with the client's stream. */
    KvGrant admit(StreamAssociation client) {
        return new KvGrant(
                window(index, AccessRight.REMOTE_READ, client),
                window(values, AccessRight.REMOTE_READ, client),
                window(cells, AccessRight.REMOTE_ATOMIC, client));
    }

    private static RemoteBuffer window(MemoryRegion region, AccessRight right, StreamAssociation client) {
        return region.window(0, region.length()).rights(right).stream(client)
                .bind()
                .remoteBuffer();
    }

    /**
     * Stores a value. When this returns, every Read that begins finds it, or a later one.
     *
     * @param key 1 to {@link KvLimits#LONGEST_KEY} bytes
     * @param value 0 to {@link KvLimits#LONGEST_VALUE} bytes
     * @return the version
     * @throws KvRefusedException if there is no room
     * @throws IllegalArgumentException if the key or the value has no allowed length
     */
    public long put(byte[] key, byte[] value) throws KvRefusedException {
        try {
            return put(key, value, KvPut.ANY);
        } catch (KvConflictException e) {
            throw new IllegalStateException("a put of any version cannot meet another one", e);
        }
    }

    /** Same as {@link #put(byte[], byte[])}, if the key has the expected version. */
    synchronized long put(byte[] key, byte[] value, long expected) throws KvRefusedException, KvConflictException {
        KvLimits.requireValue(value);
        Place place = find(KvLimits.requireKey(key));
        KvSlot old = place.content();
        if (expected != KvPut.ANY && expected != old.version()) {
            throw new KvConflictException(expected, old.version());
        }
        boolean inWord = KvWord.fits(value);
        byte[] inEntry = inWord ? NOTHING : value;
        long offset = takeBlock(old, KvEntry.length(key.length, inEntry.length));
        KvSlot fresh = new KvSlot(++lastVersion, offset, KvLayout.hash(key), key.length, inEntry.length, inWord);
        KvEntry.encode(scratch, fresh.version(), key, inEntry);
        values.span().put(offset, scratch, 0, scratch.readableBytes());
        // Before the slot: a later compare-swap fails, and an earlier one was seen.
        cells.setVolatile(KvLayout.word(place.slot()), inWord ? KvWord.of(value) : KvWord.ELSEWHERE);
        fresh.encode(scratch);
        index.span().put(place.slot() * KvSlot.LENGTH, scratch, 0, KvSlot.LENGTH);
        if (old.isFree()) {
            entries++;
        } else {
            blocks.giveBack(old.offset(), old.entryLength());
        }
        return fresh.version();
    }

    private long takeBlock(KvSlot old, int bytes) throws KvRefusedException {
        if (old.isFree() && entries == mostEntries) {
            refusals++;
            throw new KvRefusedException(
                    "the server has room for " + mostEntries + " keys, and has as many: start it with more --entries");
        }
        long offset = blocks.take(bytes);
        if (offset == KvBlocks.NONE) {
            refusals++;
            throw new KvRefusedException("the server has " + values.length() + " bytes for keys and values, and no "
                    + bytes + " of them in a row are free: start it with more --memory");
        }
        return offset;
    }

    /** Returns the value of a key as it is now. */
    public synchronized Optional<KvValue> get(byte[] key) {
        Place place = find(KvLimits.requireKey(key));
        KvSlot slot = place.content();
        if (slot.isFree()) {
            return Optional.empty();
        }
        byte[] value = slot.inWord()
                ? KvWord.value(cells.getVolatile(KvLayout.word(place.slot())))
                : KvEntry.value(entry(slot), 0, slot);
        return Optional.of(new KvValue(value, slot.version()));
    }

    /** Returns the slot of the key, or the free slot for it. A free slot always exists, as not all slots are used. */
    private Place find(byte[] key) {
        int hash = KvLayout.hash(key);
        for (long probe = 0; ; probe++) {
            long bucket = KvLayout.bucket(hash, probe, slots);
            for (long number = bucket; number < bucket + KvLayout.BUCKET_SLOTS; number++) {
                KvSlot slot = slot(number);
                if (slot.isFree() || (slot.mayHold(hash, key) && KvEntry.isOf(entry(slot), 0, key))) {
                    return new Place(number, slot);
                }
            }
        }
    }

    private KvSlot slot(long number) {
        index.span().get(number * KvSlot.LENGTH, scratch, 0, KvSlot.LENGTH);
        KvSlot slot = KvSlot.decode(scratch, 0);
        if (slot == null) {
            throw new IllegalStateException("slot " + number + " of the index was damaged");
        }
        return slot;
    }

    private ByteBuf entry(KvSlot slot) {
        values.span().get(slot.offset(), scratch, 0, slot.entryLength());
        return scratch;
    }

    /** Returns the number of keys. */
    public synchronized int entries() {
        return entries;
    }

    /** Returns the maximum number of keys. */
    public int mostEntries() {
        return mostEntries;
    }

    /** Returns the number of bytes that keys and values use, including rounding. */
    public synchronized long usedBytes() {
        return blocks.used();
    }

    /** Returns the bytes for keys and values. */
    public long mostBytes() {
        return values.length();
    }

    /** Returns the number of executed puts. */
    public synchronized long puts() {
        return lastVersion;
    }

    /** Returns the number of puts that were refused because the cache was full. */
    public synchronized long refusals() {
        return refusals;
    }

    /** Invalidates the STags of all clients and closes the memory. */
    @Override
    public synchronized void close() {
        index.close();
        values.close();
        cells.close();
    }
}
