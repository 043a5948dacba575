package io.iwarp;

import java.util.Objects;

/**
 * The connection could not be set up: the peer's first octets were not valid, none came in time, or the connection was
 * lost.
 */
public final class StartupException extends IwarpException {
    private static final long serialVersionUID = 1L;

    private final transient CloseReason reason;

    /**
     * An exception for this reason; its message is the reason's sentence.
     *
     * @param reason why it ended, and who ended it
     */
    public StartupException(CloseReason reason) {
        super(Objects.requireNonNull(reason, "reason").toString(), reason.cause());
        this.reason = reason;
    }

    /** Why it ended, and who ended it. Not kept by serialization, where the message alone remains. */
    public CloseReason reason() {
        return reason;
    }
}
