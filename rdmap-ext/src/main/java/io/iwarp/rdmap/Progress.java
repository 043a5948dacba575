package io.iwarp.rdmap;

/**
 * The progress of a stream at one moment.
 *
 * @param takenBytes bytes that the transport has taken
 * @param receivedBytes bytes that the transport has received
 * @param answeredBytes grows with each part of a response of the peer
 * @param waitingCount requests that have not started
 */
record Progress(long takenBytes, long receivedBytes, long answeredBytes, int waitingCount) {
    /** The moment before anything has moved. */
    static final Progress NONE = new Progress(0, 0, 0, 0);
}
