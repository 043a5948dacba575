package io.iwarp.mpa;

/** How the two ends of a connection enter Full Operation. Both must be configured for the same mode. */
public enum StartMode {
    /** The start-up of RFC 5044 section 7.1: an MPA Request Frame and an MPA Reply Frame agree on markers and CRC. */
    REQUEST_REPLY,
    /**
     * The start of draft-culley-iwarp-mpa-02, section 8.1: no frames are exchanged. Markers (both directions) and CRC
     * are as configured at both ends, and the next byte of the TCP stream is the first of Full Operation.
     */
    PREAGREED
}
