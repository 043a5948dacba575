package io.iwarp;

/** Who ended a stream. Later versions may add constants. */
public enum EndedBy {
    /** The application on this side closed it, rejected the connection request, or cancelled the set-up. */
    LOCAL_APPLICATION("this side closed the stream"),
    /** This side found a breach of the protocol by the peer, or failed, and ended the stream. */
    LOCAL_FAULT("this side found an error and ended the stream"),
    /** The peer sent a Terminate message (RFC 5040 section 4.8). */
    PEER_TERMINATE("the peer terminated the stream"),
    /**
     * The peer closed its side of the connection gracefully. Without TLS a peer whose process died may look the same,
     * because its kernel closes the connection. A {@link CloseReason#detail} that reports Reads or atomics without a
     * response suggests this. With TLS such an end is {@link #TRANSPORT}.
     */
    PEER_CLOSED("the peer closed the stream"),
    /** The peer's application rejected the connection request: {@link ConnectionRejectedException}. */
    PEER_REJECTED("the peer rejected the connection"),
    /** A timeout of this side expired. */
    TIMEOUT("a timeout expired"),
    /** The TCP connection was lost, or could not be made. */
    TRANSPORT("the connection failed");

    private final String phrase;

    EndedBy(String phrase) {
        this.phrase = phrase;
    }

    /** Returns the phrase that a close message starts with. */
    String phrase() {
        return phrase;
    }
}
