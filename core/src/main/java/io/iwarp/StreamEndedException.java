package io.iwarp;

import java.util.Objects;

/**
 * The stream ended before a request completed, or before the request was posted. A future fails with it; a post with a
 * work-request id throws it if the stream is closing or has ended.
 */
public final class StreamEndedException extends IwarpException {
    private static final long serialVersionUID = 1L;

    private final transient CloseReason reason;

    /**
     * Creates an exception. Its message is the sentence of the reason.
     *
     * @param reason why it ended, and who ended it
     */
    public StreamEndedException(CloseReason reason) {
        super(Objects.requireNonNull(reason, "reason").toString(), reason.cause());
        this.reason = reason;
    }

    /** Returns why it ended, and who ended it. Serialization keeps only the message. */
    public CloseReason reason() {
        return reason;
    }
}
