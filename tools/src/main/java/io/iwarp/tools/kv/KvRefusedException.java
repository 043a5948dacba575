package io.iwarp.tools.kv;

import java.io.IOException;

/** The cache has no room for an entry. Nothing was changed. */
public final class KvRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param reason what there is no room for, and what to do about it
     */
    KvRefusedException(String reason) {
        super(reason);
    }
}
