package io.iwarp;

/**
 * The state of a connection, and of its queue pair. It only moves down this list. The states of verbs are those of
 * {@code ibv_qp_state}; in brackets those of the RDMA Protocol Verbs Specification. Later versions may add constants.
 */
public enum ConnectionState {
    /**
     * Connecting, or the start-up is under way. Any request may be posted; everything except receives is held. Verbs:
     * INIT (Idle).
     */
    INIT,
    /**
     * The two ends have agreed, and this end may not send yet: a responder waits for the initiator's first message. Any
     * request may be posted; everything except receives is held. Verbs: RTR (Idle).
     */
    ESTABLISHED,
    /** Requests of this side are sent. Verbs: RTS (RTS). */
    READY,
    /**
     * The stream is ending: it is being closed gracefully by this side's application, because the peer closed its half
     * (unless {@code QueuePairSettings.closeWithPeer} is off), or because it was idle for too long, and what was posted
     * is still sent; or a Terminate of this side is being sent. New requests are refused with the reason. Verbs: SQD
     * (Closing, or Terminate).
     */
    DRAINING,
    /**
     * The stream is over and every request has completed. The TCP connection is being taken down. Verbs: ERR (Error).
     */
    ERROR,
    /**
     * The stream is over, every request has completed, and the TCP connection is closed. Verbs: ERR, later RESET
     * (Idle).
     */
    CLOSED
}
