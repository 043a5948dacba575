package io.iwarp;

import java.util.Objects;

/**
 * The connection could not be set up, or it ended before a request completed or was posted. To decide whether to
 * connect again, ask {@link CloseReason#mayRetry}.
 *
 * <p>Futures fail with it, those of connects as well; a post with a work-request id throws it if the connection is
 * closing or has ended. {@link ConnectionRejectedException} is the reply of the peer's application.
 */
public sealed class ConnectionClosedException extends IwarpException permits ConnectionRejectedException {
    private static final long serialVersionUID = 1L;

    private final transient CloseReason reason;

    /**
     * Creates an exception. Its message is the sentence of the reason.
     *
     * @param reason why the connection ended, and who ended it
     */
    public ConnectionClosedException(CloseReason reason) {
        super(Objects.requireNonNull(reason, "reason").toString(), reason.cause());
        this.reason = reason;
    }

    /** Returns why the connection ended, and who ended it. Serialization keeps only the message. */
    public final CloseReason reason() {
        return reason;
    }
}
