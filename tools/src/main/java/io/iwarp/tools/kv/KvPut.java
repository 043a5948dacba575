package io.iwarp.tools.kv;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/**
 * The message of a client that wants a value stored, big-endian:
 *
 * <pre>
 *   offset  bytes
 *        0       4  1, for a put
 *        4       4  length of the key
 *        8       8  number of the request, any
 *       16       8  version that the key must have: -1 any, 0 none, the key must be new
 *       24       k  key
 *   24 + k     any  value
 * </pre>
 */
final class KvPut {
    /** Whatever version the key has. */
    static final long ANY = -1;
    /** The key must not be there yet. */
    static final long NEW = 0;

    private static final int PUT = 1;
    private static final int HEAD = 2 * Integer.BYTES + 2 * Long.BYTES;

    /** The longest message in bytes. */
    static final int LONGEST = HEAD + KvLimits.LONGEST_KEY + KvLimits.LONGEST_VALUE;

    private final long request;
    private final long expected;
    private final byte[] key;
    private final byte[] value;

    /**
     * @param request number of the request, which comes back in the {@link KvReply}
     * @param expected version that the key must have, {@link #ANY} or {@link #NEW}
     * @param key 1 to {@link KvLimits#LONGEST_KEY} bytes
     * @param value 0 to {@link KvLimits#LONGEST_VALUE} bytes
     */
    KvPut(long request, long expected, byte[] key, byte[] value) {
        this.request = request;
        this.expected = expected;
        this.key = KvLimits.requireKey(key);
        this.value = KvLimits.requireValue(value);
    }

    long request() {
        return request;
    }

    /** Returns the version that the key must have, {@link #ANY} or {@link #NEW}. */
    long expected() {
        return expected;
    }

    byte[] key() {
        return key;
    }

    byte[] value() {
        return value;
    }

    /** Returns the message in a heap buffer that needs no release. */
    ByteBuf encode() {
        int length = HEAD + key.length + value.length;
        return Unpooled.buffer(length, length)
                .writeInt(PUT)
                .writeInt(key.length)
                .writeLong(request)
                .writeLong(expected)
                .writeBytes(key)
                .writeBytes(value);
    }

    /**
     * Reads a message.
     *
     * @throws IllegalArgumentException if it is not a put
     */
    static KvPut decode(ByteBuf in) {
        int bytes = in.readableBytes();
        if (bytes < HEAD || in.readInt() != PUT) {
            throw new IllegalArgumentException("a message of " + bytes + " bytes is not a put");
        }
        int keyLength = in.readInt();
        if (keyLength < 0 || keyLength > bytes - HEAD) {
            throw new IllegalArgumentException("a put of " + bytes + " bytes cannot have a key of " + keyLength);
        }
        long request = in.readLong();
        long expected = in.readLong();
        byte[] key = ByteBufUtil.getBytes(in.readSlice(keyLength));
        return new KvPut(request, expected, key, ByteBufUtil.getBytes(in));
    }
}
