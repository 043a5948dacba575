package io.iwarp.rdmap;

/**
 * How far a stream has come at one moment.
 *
 * @param taken bytes that the transport has taken
 * @param brought bytes that the transport has brought
 * @param answered grows with each part of a response of the peer
 * @param waiting requests that have not started
 */
record Progress(long taken, long brought, long answered, int waiting) {
    /** The moment before anything has moved. */
    static final Progress NONE = new Progress(0, 0, 0, 0);
}
