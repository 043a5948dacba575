package io.iwarp.memory;

import org.apiguardian.api.API;

/** The outcome of a peer's wish to take back an STag of this side (RFC 5040 sections 5.3 and 8.1.1). */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
public enum InvalidationVerdict {
    /** The STag was taken back. */
    INVALIDATED,
    /** There is such an STag, and this stream is not the only one that may use it. */
    NOT_PERMITTED,
    /** There is no such STag, or it was taken back before. */
    UNKNOWN
}
