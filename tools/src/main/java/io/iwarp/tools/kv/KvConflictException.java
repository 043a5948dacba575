package io.iwarp.tools.kv;

import java.io.IOException;

/** A put asked for a version that the key does not have. Nothing was changed. */
public final class KvConflictException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long version;

    KvConflictException(long expected, long version) {
        super("the key has version " + version + ", not " + expected + ": somebody else has changed it; get it again");
        this.version = version;
    }

    /** Returns the version that the key has; 0 if there is no such key. */
    public long version() {
        return version;
    }
}
