package io.iwarp.metrics;

import java.util.Locale;

/** The states in which connections are counted, of either role. */
public enum ConnectionState {
    /** Connecting, or the start-up is under way. */
    SETUP,
    /** Established. Requests flow; those of a responder once the initiator has sent a message. */
    READY,
    /** It is being closed in order, by either side or for being idle; what was posted is still sent. */
    DRAINING,
    /** The stream is over, and the TCP connection is being taken down. */
    CLOSING;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The value of the tag {@code state}, for example {@code draining}. */
    public String tag() {
        return tag;
    }
}
