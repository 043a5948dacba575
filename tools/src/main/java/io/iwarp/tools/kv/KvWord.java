package io.iwarp.tools.kv;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A value of up to 8 bytes as a 64-bit number, which one CmpSwap replaces. The first byte of the value is the most
 * significant one, and zeros follow the last. A value that ends with a zero would be ambiguous, so it is not stored as
 * a word, and neither are 8 bytes of 0xff.
 */
final class KvWord {
    /** No value: the value is in the entry. No UTF-8 text has this byte. */
    static final long ELSEWHERE = -1;

    /** The longest value in a word, in bytes. */
    static final int LONGEST = Long.BYTES;

    private KvWord() {}

    /** Returns whether a value can be in a word. */
    static boolean fits(byte[] value) {
        return value.length <= LONGEST
                && (value.length == 0 || value[value.length - 1] != 0)
                && (value.length < LONGEST || of(value) != ELSEWHERE);
    }

    /** Returns the number for a value of up to 8 bytes. */
    static long of(byte[] value) {
        return ByteBuffer.wrap(Arrays.copyOf(value, LONGEST)).getLong();
    }

    /** Returns the value that a number stands for. */
    static byte[] value(long word) {
        int zeros = Long.numberOfTrailingZeros(word) / Byte.SIZE;
        byte[] bytes = ByteBuffer.allocate(LONGEST).putLong(word).array();
        return Arrays.copyOf(bytes, LONGEST - zeros);
    }
}
