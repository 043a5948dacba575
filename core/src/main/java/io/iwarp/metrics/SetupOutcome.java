package io.iwarp.metrics;

import java.util.Locale;

/** How the set-up of a connection went. */
public enum SetupOutcome {
    /** Both sides agreed, and the connection came into being. */
    ACCEPTED,
    /** The responder's application said no. */
    REJECTED,
    /** The responder closed the connection at once, as it had too many others in set-up. */
    REFUSED,
    /** It was not done within the start-up timeout. */
    TIMED_OUT,
    /** It came to nothing for another reason: no TCP connection, a wrong frame, a peer that closed. */
    FAILED;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The value of the tag {@code outcome}, for example {@code timed_out}. */
    public String tag() {
        return tag;
    }

    /** The place of the outcome in an array of all outcomes. */
    @SuppressWarnings("EnumOrdinal") // The place is used in memory only and never stored or sent.
    int slot() {
        return ordinal();
    }
}
