package io.iwarp.conformance.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Numbers as bytes, big-endian but for the CRC. */
public final class Bytes {
    /** No bytes at all. */
    public static final byte[] NONE = {};

    private Bytes() {}

    /** Returns the arrays one after the other. */
    public static byte[] join(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    /** Returns two bytes. */
    public static byte[] u16(int value) {
        return ByteBuffer.allocate(Short.BYTES).putShort((short) value).array();
    }

    /** Returns four bytes. */
    public static byte[] u32(long value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt((int) value).array();
    }

    /** Returns eight bytes. */
    public static byte[] u64(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    /** Returns the byte at an index, 0 to 255. */
    public static int u8(byte[] from, int index) {
        return from[index] & 0xFF;
    }

    /** Returns two bytes as a number. */
    public static int u16(byte[] from, int index) {
        return ByteBuffer.wrap(from).getShort(index) & 0xFFFF;
    }

    /** Returns four bytes as a number. */
    public static long u32(byte[] from, int index) {
        return ByteBuffer.wrap(from).getInt(index) & 0xFFFF_FFFFL;
    }

    /** Returns eight bytes as a number. */
    public static long u64(byte[] from, int index) {
        return ByteBuffer.wrap(from).getLong(index);
    }

    /** Returns that many bytes, each different from its neighbours. */
    public static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) ('A' + i % ('z' - 'A' + 1));
        }
        return bytes;
    }

    /** Returns the CRC32C of some bytes as it stands on the wire: least significant byte first. */
    public static byte[] crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) crc.getValue())
                .array();
    }
}
