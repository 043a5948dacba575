package io.iwarp.metrics;

/** The outcome of the set-up of a connection. Later versions may add constants. */
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
    FAILED
}
