package io.iwarp.verbs;

import io.iwarp.CloseReason;

/** Thrown when a request is posted on a queue pair that is closing or has ended. */
public final class QueuePairClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final transient CloseReason reason;

    QueuePairClosedException(CloseReason reason) {
        super("the queue pair is closing or has ended: " + reason + "; make a new connection");
        this.reason = reason;
    }

    /** Returns the reason of the close. */
    public CloseReason reason() {
        return reason;
    }
}
