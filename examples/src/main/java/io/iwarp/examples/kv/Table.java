package io.iwarp.examples.kv;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The memory layout of a table of keys and values. All slots have one size, and each key has one slot. A checksum in
 * the slot shows a client that it has read a slot during a write, and must read again.
 */
final class Table {
    static final int SLOTS = 1024;
    static final int SLOT_LENGTH = 256;

    private static final int HEADER = Long.BYTES + Short.BYTES + Short.BYTES;

    private Table() {}

    static long slotOf(String key) {
        return (long) Math.floorMod(key.hashCode(), SLOTS) * SLOT_LENGTH;
    }

    /** Returns the bytes of a slot. */
    static ByteBuf encode(String key, String value) {
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
        byte[] valueBytes = value.getBytes(StandardCharsets.UTF_8);
        if (keyBytes.length + valueBytes.length > SLOT_LENGTH - HEADER) {
            throw new IllegalArgumentException(key + " and its value have " + (keyBytes.length + valueBytes.length)
                    + " bytes, there is room for " + (SLOT_LENGTH - HEADER));
        }
        return Unpooled.buffer(SLOT_LENGTH)
                .writeLong(checksum(keyBytes, valueBytes))
                .writeShort(keyBytes.length)
                .writeShort(valueBytes.length)
                .writeBytes(keyBytes)
                .writeBytes(valueBytes)
                .writeZero(SLOT_LENGTH - HEADER - keyBytes.length - valueBytes.length);
    }

    /**
     * Returns the value in a slot, or null if the slot holds another key or none.
     *
     * @throws IllegalStateException if the slot was read during a write
     */
    static String decode(ByteBuf slot, String key) {
        long checksum = slot.readLong();
        int keyLength = slot.readUnsignedShort();
        int valueLength = slot.readUnsignedShort();
        if (checksum == 0 && keyLength == 0) {
            return null;
        }
        if (keyLength + valueLength > SLOT_LENGTH - HEADER) {
            throw new IllegalStateException("the slot is being written");
        }
        byte[] keyBytes = ByteBufUtil.getBytes(slot.readSlice(keyLength));
        byte[] valueBytes = ByteBufUtil.getBytes(slot.readSlice(valueLength));
        if (checksum != checksum(keyBytes, valueBytes)) {
            throw new IllegalStateException("the slot is being written");
        }
        return new String(keyBytes, StandardCharsets.UTF_8).equals(key)
                ? new String(valueBytes, StandardCharsets.UTF_8)
                : null;
    }

    private static long checksum(byte[] key, byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(key);
        crc.update(value);
        return crc.getValue() | (long) key.length << 32 | (long) value.length << 48;
    }
}
