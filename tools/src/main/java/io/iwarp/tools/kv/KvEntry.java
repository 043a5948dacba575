package io.iwarp.tools.kv;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/**
 * The entry of a key in the values. It never changes while a slot points to it. It is overwritten some time after that.
 *
 * <pre>
 *   offset          bytes
 *        0               8  version, as in the slot
 *        8               k  key
 *    8 + k               v  value; nothing if it is in the word of the cell
 *    8 + k + v           4  CRC32C of the bytes before
 * </pre>
 *
 * <p>An entry that was read is the one that the slot meant if its version is that of the slot, and whole if its CRC
 * fits.
 */
final class KvEntry {
    private static final int KEY = Long.BYTES;

    private KvEntry() {}

    /** Returns the bytes of an entry. */
    static int length(int keyLength, int valueLength) {
        return KEY + keyLength + valueLength + Integer.BYTES;
    }

    /** Writes an entry at index 0 of a buffer. */
    static void encode(ByteBuf out, long version, byte[] key, byte[] value) {
        out.clear().writeLong(version).writeBytes(key).writeBytes(value);
        out.writeInt(KvLayout.checksum(out, 0, out.writerIndex()));
    }

    /** Returns whether the bytes at an index are the whole entry that the slot means. */
    static boolean isIntact(ByteBuf in, int index, KvSlot slot) {
        int crc = slot.entryLength() - Integer.BYTES;
        return in.getLong(index) == slot.version() && in.getInt(index + crc) == KvLayout.checksum(in, index, crc);
    }

    /** Returns whether the entry at an index is that of the key. */
    static boolean isOf(ByteBuf in, int index, byte[] key) {
        return in.slice(index + KEY, key.length).equals(Unpooled.wrappedBuffer(key));
    }

    /** Returns the value in the entry at an index. */
    static byte[] value(ByteBuf in, int index, KvSlot slot) {
        return ByteBufUtil.getBytes(in, index + KEY + slot.keyLength(), slot.valueLength());
    }
}
