package io.iwarp;

import java.util.Objects;

/** The stream ended before a request on it was completed, or was ended already when the request was posted. */
public final class StreamEndedException extends IwarpException {
    private static final long serialVersionUID = 1L;

    private final transient CloseReason reason;

    /**
     * An exception for this reason; its message is the reason's sentence.
     *
     * @param reason why it ended, and who ended it
     */
    public StreamEndedException(CloseReason reason) {
        super(Objects.requireNonNull(reason, "reason").toString(), reason.cause());
        this.reason = reason;
    }

    /** Why it ended, and who ended it. Not kept by serialization, where the message alone remains. */
    public CloseReason reason() {
        return reason;
    }
}
