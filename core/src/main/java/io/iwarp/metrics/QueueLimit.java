package io.iwarp.metrics;

import java.util.Locale;

/** The limit that made a queue pair refuse a post. */
public enum QueueLimit {
    /** The depth of the send queue. */
    SEND,
    /** The depth of the receive queue. */
    RECEIVE,
    /** The maximum number of outstanding bytes of requests other than receives. */
    BYTES;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** Returns the value of the tag {@code limit}, for example {@code send}. */
    public String tag() {
        return tag;
    }
}
