package io.iwarp.verbs;

/** Where a queue pair is in its life. It only ever moves down this list. */
public enum QueuePairState {
    /** Not connected yet, or a responder that has heard nothing. Anything may be posted; all but receives waits. */
    INIT,
    /** Requests of this side flow: at a responder, once the initiator's first message has come. */
    READY,
    /** The application closed it: what was posted is still sent, new requests are refused. */
    DRAINING,
    /** The stream is over and every request has completed; the connection is being taken down. */
    ERROR,
    /** The stream is over, every request has completed, and the connection is closed. */
    CLOSED
}
