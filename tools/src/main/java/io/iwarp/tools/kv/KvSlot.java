package io.iwarp.tools.kv;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A slot of the index: where the newest entry of a key is. 64 bytes, all 0 if the slot is free:
 *
 * <pre>
 *   offset  bytes
 *        0       8  version of the entry, at least 1; no two entries have the same
 *        8       8  offset of the entry in the values
 *       16       4  hash of the key
 *       20       4  length of the key
 *       24       4  length of the value in the entry
 *       28       4  1 if the value is in the word of the cell, otherwise 0
 *       32      28  0
 *       60       4  CRC32C of the bytes before
 * </pre>
 *
 * @param version of the entry; 0 if the slot is free
 * @param offset of the entry in the values
 * @param hash of the key
 * @param keyLength in bytes
 * @param valueLength in the entry, in bytes; 0 if the value is in the word
 * @param inWord whether the value is in the word of the cell
 */
record KvSlot(long version, long offset, int hash, int keyLength, int valueLength, boolean inWord) {
    /** Length in bytes. */
    static final int LENGTH = 64;
    /** A slot that no key uses. */
    static final KvSlot FREE = new KvSlot(0, 0, 0, 0, 0, false);

    private static final int CRC = LENGTH - Integer.BYTES;
    private static final int RESERVED = 28;

    boolean isFree() {
        return version == 0;
    }

    /** Returns whether the slot may hold the key. Only the entry confirms it. */
    boolean mayHold(int keyHash, byte[] key) {
        return !isFree() && hash == keyHash && keyLength == key.length;
    }

    /** Returns the bytes of the entry. */
    int entryLength() {
        return KvEntry.length(keyLength, valueLength);
    }

    /** Writes the slot at index 0 of a buffer. */
    void encode(ByteBuf out) {
        out.clear()
                .writeLong(version)
                .writeLong(offset)
                .writeInt(hash)
                .writeInt(keyLength)
                .writeInt(valueLength)
                .writeInt(inWord ? 1 : 0)
                .writeZero(RESERVED);
        out.writeInt(KvLayout.checksum(out, 0, CRC));
    }

    /** Returns the slot at an index of a buffer, or null if it was read while it was written. */
    static @Nullable KvSlot decode(ByteBuf in, int index) {
        if (isZero(in, index)) {
            return FREE;
        }
        if (in.getInt(index + CRC) != KvLayout.checksum(in, index, CRC)) {
            return null;
        }
        ByteBuf fields = in.slice(index, LENGTH);
        return new KvSlot(
                fields.readLong(),
                fields.readLong(),
                fields.readInt(),
                fields.readInt(),
                fields.readInt(),
                fields.readInt() != 0);
    }

    private static boolean isZero(ByteBuf in, int index) {
        long bytes = 0;
        for (int i = index; i < index + LENGTH; i += Long.BYTES) {
            bytes |= in.getLong(i);
        }
        return bytes == 0;
    }
}
