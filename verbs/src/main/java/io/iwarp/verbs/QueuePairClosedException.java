package io.iwarp.verbs;

import io.iwarp.CloseReason;

/** A request was posted on a queue pair that takes no more of them. */
public final class QueuePairClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final transient CloseReason reason;

    QueuePairClosedException(CloseReason reason) {
        super("the queue pair takes no more requests: " + reason + "; make a new connection");
        this.reason = reason;
    }

    /** Returns why the queue pair was closed. */
    public CloseReason reason() {
        return reason;
    }
}
