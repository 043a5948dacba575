package io.iwarp.tools.kv;

import java.nio.charset.StandardCharsets;

/** A value that was found, and the version of the put that stored it. */
public final class KvValue {
    private final byte[] bytes;
    private final long version;

    KvValue(byte[] bytes, long version) {
        this.bytes = bytes;
        this.version = version;
    }

    /** Returns a copy of the value. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the version, at least 1. A value that a compare-swap put there has the version of the put before. */
    public long version() {
        return version;
    }

    /** Returns the value as UTF-8 text. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
