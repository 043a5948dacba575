package io.iwarp.internal.memory;

/** A region or a window: it has an STag that can be invalidated. */
interface STagHolder {
    /** Returns the STag. */
    int stag();

    /** Invalidates the STag, and returns when no access by it is in progress. */
    void invalidate();
}
