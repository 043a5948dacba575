package io.iwarp.conformance.judge;

/** What a case cannot do without. */
public enum Need {
    /** Both sides compute CRCs. */
    CRC,
    /** Neither side computes CRCs. */
    NO_CRC,
    /** The peer wants markers in what it receives. */
    MARKERS_TO_PEER,
    /** The suite wants markers in what it receives. */
    MARKERS_FROM_PEER,
    /** The connection is set up with RFC 6581. */
    ENHANCED,
    /** The connection is set up without RFC 6581. */
    PLAIN,
    /** The connection is set up with RFC 6581 and a ready-to-receive message. */
    PEER_TO_PEER,
    /** The first memory that the peer names may be read. */
    READABLE,
    /** The first memory that the peer names must not be read. */
    UNREADABLE,
    /** The first memory that the peer names may be written. */
    WRITABLE,
    /** The first memory that the peer names must not be written. */
    UNWRITABLE,
    /** The memory that the peer names may be both read and written. */
    OPEN,
    /** The memory that the peer names is not part of a larger region. */
    BOUNDED,
    /** The peer executes atomics. */
    ATOMICS,
    /** Atomics may be executed on the first memory that the peer names. */
    ATOMIC_MEMORY,
    /** The peer does not know atomics. */
    NO_ATOMICS,
    /** The peer knows Immediate Data. */
    IMMEDIATE,
    /** The peer does not know Immediate Data. */
    NO_IMMEDIATE,
    /** The client compares what the server writes with what the server read. */
    VERIFYING,
    /** Cases that take many seconds are wanted. */
    SLOW
}
