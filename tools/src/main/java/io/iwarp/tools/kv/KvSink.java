package io.iwarp.tools.kv;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** The sink of a client's Reads, registered once. It has room for a bucket or a slot, and for an entry. */
final class KvSink implements AutoCloseable {
    /** The offset of an entry. */
    static final int ENTRY = KvLayout.BUCKET_LENGTH;

    private static final int LENGTH = ENTRY + KvEntry.length(KvLimits.LONGEST_KEY, KvLimits.LONGEST_VALUE);

    private final ByteBuf bytes;
    private final MemoryRegion region;

    KvSink(ProtectionDomain domain) {
        bytes = ByteBufAllocator.DEFAULT.directBuffer(LENGTH, LENGTH);
        region = domain.register(bytes, AccessRight.LOCAL_WRITE);
    }

    MemoryRegion region() {
        return region;
    }

    /** Returns a slot that was read, or null if it was read while it was written. */
    @Nullable
    KvSlot slot(int number) {
        return KvSlot.decode(bytes, number * KvSlot.LENGTH);
    }

    boolean isIntact(KvSlot slot) {
        return KvEntry.isIntact(bytes, ENTRY, slot);
    }

    boolean isOf(byte[] key) {
        return KvEntry.isOf(bytes, ENTRY, key);
    }

    byte[] value(KvSlot slot) {
        return KvEntry.value(bytes, ENTRY, slot);
    }

    /** Call this method when no Read is in flight. */
    @Override
    public void close() {
        region.close();
        bytes.release();
    }
}
