package io.iwarp.metrics;

import java.util.Locale;

/** The outcome of the set-up of a connection. */
public enum SetupOutcome {
    /** Both sides agreed, and the connection was established. */
    ACCEPTED,
    /** The responder's application rejected it. */
    REJECTED,
    /** The responder closed the connection at once, because too many others were in set-up. */
    OVERLOADED,
    /** The start-up timeout expired. */
    TIMED_OUT,
    /** It failed for another reason: no TCP connection, an invalid frame, a peer that closed. */
    FAILED;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** Returns the value of the tag {@code outcome}, for example {@code timed_out}. */
    public String tag() {
        return tag;
    }
}
