package io.iwarp.tools.kv;

/** The limits of the cache. */
public final class KvLimits {
    /** The longest key in bytes. The shortest has 1. */
    public static final int LONGEST_KEY = 1024;

    /** The longest value in bytes; a value may be empty. */
    public static final int LONGEST_VALUE = 1 << 16;

    /** The most entries. */
    public static final int MOST_ENTRIES = 1 << 26;

    private KvLimits() {}

    /**
     * Checks a key.
     *
     * @return the key
     * @throws IllegalArgumentException if it is empty or too long; the message says so
     */
    public static byte[] requireKey(byte[] key) {
        if (key.length == 0) {
            throw new IllegalArgumentException("the key is empty");
        }
        if (key.length > LONGEST_KEY) {
            throw new IllegalArgumentException(
                    "the key has " + key.length + " bytes, more than the " + LONGEST_KEY + " that a key may have");
        }
        return key;
    }

    /**
     * Checks a value.
     *
     * @return the value
     * @throws IllegalArgumentException if it is too long; the message says so
     */
    public static byte[] requireValue(byte[] value) {
        if (value.length > LONGEST_VALUE) {
            throw new IllegalArgumentException("the value has " + value.length + " bytes, more than the "
                    + LONGEST_VALUE + " that a value may have");
        }
        return value;
    }
}
