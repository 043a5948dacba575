package io.iwarp.metrics;

import java.util.Locale;

/** What made a queue pair refuse a post. */
public enum QueueLimit {
    /** As many requests other than receives as the send queue is deep. */
    SEND,
    /** As many receives as the receive queue is deep. */
    RECEIVE,
    /** As many bytes of requests other than receives as may be outstanding. */
    BYTES;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The value of the tag {@code limit}, for example {@code send}. */
    public String tag() {
        return tag;
    }

    /** The place of the limit in an array of all limits. */
    @SuppressWarnings("EnumOrdinal") // The place is used in memory only and never stored or sent.
    int slot() {
        return ordinal();
    }
}
