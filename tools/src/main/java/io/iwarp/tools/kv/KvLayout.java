package io.iwarp.tools.kv;

import io.iwarp.memory.AtomicOperation;
import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * Where things are in the three regions of the cache. All numbers in the index and the values are big-endian; cells are
 * changed by atomics only, as 64-bit numbers.
 *
 * <pre>
 *   index     buckets of 4 {@linkplain KvSlot slots}; a key is in the bucket of its hash, or in the next with a free
 * slot values    {@linkplain KvEntry entries}, anywhere cells     for each slot a counter of hits and a {@linkplain
 * KvWord word}, which is the value if that is short </pre>
 */
final class KvLayout {
    /** Slots that are read at once. */
    static final int BUCKET_SLOTS = 4;
    /** Length in bytes. */
    static final int BUCKET_LENGTH = BUCKET_SLOTS * KvSlot.LENGTH;
    /** The offset of the word in a cell; the counter is at its beginning. */
    static final int WORD = AtomicOperation.LENGTH;
    /** Length in bytes. */
    static final int CELL_LENGTH = WORD + AtomicOperation.LENGTH;

    private KvLayout() {}

    /** Returns the hash of a key, of which the low bits choose the bucket. */
    static int hash(byte[] key) {
        CRC32C crc = new CRC32C();
        crc.update(key);
        return (int) crc.getValue();
    }

    /** Returns the CRC32C of bytes of a buffer, whose indexes do not change. */
    static int checksum(ByteBuf bytes, int index, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.nioBuffer(index, length));
        return (int) crc.getValue();
    }

    /** Returns the offset in the cells of the word of a slot. */
    static long word(long slot) {
        return slot * CELL_LENGTH + WORD;
    }

    /** Returns the first slot number of the {@code probe}th bucket to search for a key. */
    static long bucket(int hash, long probe, long slots) {
        long buckets = slots / BUCKET_SLOTS;
        return (Integer.toUnsignedLong(hash) + probe) % buckets * BUCKET_SLOTS;
    }
}
