package io.iwarp.verbs;

/** What a completed work request did. */
public enum Operation {
    /** A message sent to a receive of the peer. */
    SEND,
    /** Octets written into memory of the peer. */
    WRITE,
    /** A message of the peer taken by a posted buffer. */
    RECEIVE
}
