package io.iwarp.spark;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The map outputs that an executor publishes: a table of slots in registered memory, which peers read. A map output is
 * in one of the {@link #WINDOW} slots from {@link MapKey#firstSlot} on, so that a peer finds it by one Read.
 *
 * <p>Any thread may call any method.
 */
final class Directory implements AutoCloseable {
    /** How many slots a peer reads to find a map output. */
    static final int WINDOW = 16;

    static final int WINDOW_LENGTH = WINDOW * MapSlot.LENGTH;

    private final int slots;
    private final MemoryRegion region;
    /** Which slots are taken. Guarded by this. */
    private final Map<Integer, MapKey> taken = new HashMap<>();

    Directory(ProtectionDomain domain, ByteBufAllocator allocator, int slots) {
        this.slots = slots;
        this.region = domain.region()
                .allocate(allocator, length(slots))
                .rights(AccessRight.REMOTE_READ)
                .register();
    }

    /** Returns the number of bytes of a directory: the last window begins at the last slot. */
    static long length(int slots) {
        return (slots + WINDOW - 1L) * MapSlot.LENGTH;
    }

    RemoteBuffer advertised() {
        return region.remoteBuffer();
    }

    int slots() {
        return slots;
    }

    synchronized int used() {
        return taken.size();
    }

    /** Adds a map output, or replaces it. Returns false if all slots in which it may be are taken. */
    synchronized boolean add(MapSlot slot) {
        int free = find(slot.key(), slot.key());
        if (free < 0) {
            free = find(slot.key(), null);
        }
        if (free < 0) {
            return false;
        }
        taken.put(free, slot.key());
        ByteBuf bytes = Unpooled.buffer(MapSlot.LENGTH, MapSlot.LENGTH);
        slot.encode(bytes);
        put(free, bytes);
        return true;
    }

    /** Removes a map output, if it is there. */
    synchronized void remove(MapKey key) {
        int slot = find(key, key);
        if (slot >= 0) {
            taken.remove(slot);
            put(slot, Unpooled.wrappedBuffer(new byte[MapSlot.LENGTH]));
        }
    }

    private int find(MapKey key, @Nullable MapKey content) {
        int first = key.firstSlot(slots);
        for (int slot = first; slot < first + WINDOW; slot++) {
            MapKey there = taken.get(slot);
            if (content == null ? there == null : content.equals(there)) {
                return slot;
            }
        }
        return -1;
    }

    private void put(int slot, ByteBuf bytes) {
        region.setBytes((long) slot * MapSlot.LENGTH, bytes);
    }

    @Override
    public void close() {
        region.close();
    }
}
