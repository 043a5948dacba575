package io.iwarp.rdmap;

/**
 * How far a stream has come at one moment.
 *
 * @param takenBytes bytes that the transport has taken
 * @param receivedBytes bytes that the transport has brought
 * @param answeredBytes grows with each part of a response of the peer
 * @param waitingCount requests that have not started
 */
record Progress(long takenBytes, long receivedBytes, long answeredBytes, int waitingCount) {
    /** The moment before anything has moved. */
    static final Progress NONE = new Progress(0, 0, 0, 0);
}
