package io.iwarp;

import java.util.Locale;

/** What a work request does. */
public enum Operation {
    /** A message sent to a receive of the peer, with or without taking back an STag of the peer. */
    SEND,
    /** Bytes written into memory of the peer, with or without Immediate Data behind them. */
    WRITE,
    /** Bytes read from memory of the peer. */
    READ,
    /** A number of the peer added to, and its value before that fetched (FetchAdd of RFC 7306). */
    FETCH_ADD,
    /** A number of the peer compared and perhaps replaced, and its value before that fetched (CmpSwap of RFC 7306). */
    COMPARE_SWAP,
    /** Immediate Data sent to a receive of the peer; at its target also that which comes behind a Write. */
    IMMEDIATE,
    /** A message or Immediate Data of the peer taken by a posted receive. Metrics count it as a {@link #SEND}. */
    RECEIVE;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** {@return the value of the tag {@code operation} of meters, for example {@code fetch_add}} */
    public String tag() {
        return tag;
    }
}
