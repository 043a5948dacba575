package io.iwarp.metrics;

import java.util.Locale;

/** The part that this side plays in the set-up of a connection. */
public enum ConnectionRole {
    /** This side asked for the connection. */
    INITIATOR,
    /** The peer asked. */
    RESPONDER;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The value of the tag {@code role}, for example {@code initiator}. */
    public String tag() {
        return tag;
    }

    /** The place of the role in an array of all roles. */
    @SuppressWarnings("EnumOrdinal") // The place is used in memory only and never stored or sent.
    int slot() {
        return ordinal();
    }
}
