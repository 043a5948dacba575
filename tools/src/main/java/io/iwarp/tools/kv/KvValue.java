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

    /** Returns the version, at least 1. A compare-swap does not change the version of the last put. */
    public long version() {
        return version;
    }

    /** Returns the value as UTF-8 text. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
