package io.iwarp.verbs;

/** Where a queue pair is in its life. It only ever moves down this list. */
public enum QueuePairState {
    /** Not connected yet, or a responder that has heard nothing. Anything may be posted; all but receives waits. */
    INIT,
    /** Requests of this side flow: at a responder, once the initiator's first message has come. */
    READY,
    /**
     * It is being closed in order: by this side's application, because the peer closed its half (unless
     * {@link QueuePairSettings#closeWithPeer} is off), or because it was idle for too long. What was posted is still sent.
     * New requests are refused with the reason of the close, which is the one that {@link QueuePair#closed} gives unless
     * something gets in the way of it.
     */
    DRAINING,
    /** The stream is over and every request has completed; the connection is being taken down. */
    ERROR,
    /** The stream is over, every request has completed, and the connection is closed. */
    CLOSED
}
