package io.iwarp.rdmap;

/**
 * How far a stream has come at one moment.
 *
 * @param sent grows when the transport takes bytes. Bytes that it is given do not count. The framing of a message may
 *     lower it a little.
 * @param received bytes of ULPDUs that have arrived
 * @param answered grows with each part of a response of the peer
 * @param waiting requests that have not started
 */
record Progress(long sent, long received, long answered, int waiting) {
    /** The moment before anything has moved. */
    static final Progress NONE = new Progress(0, 0, 0, 0);
}
