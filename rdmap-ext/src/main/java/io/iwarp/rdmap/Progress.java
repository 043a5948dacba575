package io.iwarp.rdmap;

/**
 * The progress of a stream at one moment.
 *
 * @param writtenBytes bytes that were handed to the transport
 * @param takenBytes those of them that the transport has taken
 * @param receivedBytes bytes that the transport has received
 * @param responseBytes bytes of responses received from the peer, plus one for each complete response
 * @param waitingCount requests that have not started
 */
record Progress(long writtenBytes, long takenBytes, long receivedBytes, long responseBytes, int waitingCount) {
    /** The progress of a new stream. */
    static final Progress NONE = new Progress(0, 0, 0, 0, 0);
}
