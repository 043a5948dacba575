package io.iwarp.internal.memory;

/** The outcome of a peer's request to invalidate an STag of this side (RFC 5040 sections 5.3 and 8.1.1). */
public enum InvalidationVerdict {
    /** The STag was invalidated. */
    INVALIDATED,
    /** The STag exists, but this stream is not the only one that may use it. */
    NOT_PERMITTED,
    /** There is no such STag, or it was invalidated before. */
    UNKNOWN
}
