package io.iwarp.metrics;

import java.util.Locale;

/** The kinds of operation that are counted apart. */
public enum OperationKind {
    /** A message, with or without taking back an STag. */
    SEND,
    /** Octets written, with or without Immediate Data behind them. */
    WRITE,
    /** Octets read. */
    READ,
    /** A FetchAdd. */
    FETCH_ADD,
    /** A CmpSwap. */
    COMPARE_SWAP,
    /** Immediate Data by itself; at its target also that which comes behind a Write. */
    IMMEDIATE;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The value of the tag {@code operation}, for example {@code fetch_add}. */
    public String tag() {
        return tag;
    }

    /** The place of the kind in an array of all kinds. */
    @SuppressWarnings("EnumOrdinal") // The place is used in memory only and never stored or sent.
    int slot() {
        return ordinal();
    }
}
