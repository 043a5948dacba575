package io.iwarp.verbs;

/** What a completed work request did. */
public enum Operation {
    /** A message sent to a receive of the peer, with or without taking back an STag of the peer. */
    SEND,
    /** Octets written into memory of the peer, with or without Immediate Data behind them. */
    WRITE,
    /** Octets read from memory of the peer. */
    READ,
    /** A number of the peer added to, and its value before that fetched. */
    FETCH_ADD,
    /** A number of the peer compared and perhaps replaced, and its value before that fetched. */
    COMPARE_SWAP,
    /** Immediate Data sent to a receive of the peer. */
    IMMEDIATE,
    /** A message or Immediate Data of the peer taken by a posted receive. */
    RECEIVE
}
