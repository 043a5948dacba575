package io.iwarp.memory;

/** Whatever has an STag that can be taken back: a region or a window. */
interface STagHolder {
    /** The STag. */
    int stag();

    /** Takes the STag back; returns when no access by it is in progress. */
    void invalidate();
}
