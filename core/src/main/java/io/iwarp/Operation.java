package io.iwarp;

/** The operation of a work request. Later versions may add constants. */
public enum Operation {
    /** A message to a receive of the peer. It may also invalidate an STag of the peer. */
    SEND,
    /** Bytes written into memory of the peer, with or without Immediate Data after them. */
    WRITE,
    /** Bytes read from memory of the peer. */
    READ,
    /** Adds to an 8-byte word in the peer's memory and returns its previous value (FetchAdd of RFC 7306). */
    FETCH_ADD,
    /**
     * Replaces an 8-byte word in the peer's memory if it has the expected value, and returns its previous value
     * (CmpSwap of RFC 7306).
     */
    COMPARE_SWAP,
    /** Immediate Data to a receive of the peer. At the target also the Immediate Data after a Write. */
    IMMEDIATE,
    /** A posted receive that took a message or Immediate Data of the peer. Metrics count it as a {@link #SEND}. */
    RECEIVE
}
