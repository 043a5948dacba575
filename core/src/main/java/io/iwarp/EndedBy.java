package io.iwarp;

/** Who ended a stream. */
public enum EndedBy {
    /** The application on this side closed it. */
    LOCAL_APPLICATION("this side closed the stream"),
    /** This side found the peer breaking the protocol, or failed itself, and ended the stream. */
    LOCAL_FAULT("this side found an error and ended the stream"),
    /** The peer sent a Terminate message (RFC 5040 section 4.8). */
    PEER_TERMINATE("the peer terminated the stream"),
    /**
     * The peer closed its side of the connection in good order. Without TLS a peer whose process died may show like that
     * too: its system closes the connection for it. A {@link CloseReason#detail} that tells of Reads or atomics left without
     * an answer hints at it; with TLS such an end is {@link #TRANSPORT}.
     */
    PEER_CLOSED("the peer closed the stream"),
    /** A time limit of this side ran out. */
    TIMEOUT("a time limit ran out"),
    /** The connection below was lost. */
    TRANSPORT("the connection was lost");

    private final String sentence;

    EndedBy(String sentence) {
        this.sentence = sentence;
    }

    /** What happened, in words that can begin a sentence. */
    String sentence() {
        return sentence;
    }
}
