package io.iwarp;

import java.util.Objects;

/**
 * The connection could not be set up: the peer's first bytes were invalid, nothing arrived in time, or the connection
 * was lost.
 *
 * <p>Only programs that use MPA directly get it: the future of an answer to an {@code MpaConnectionRequest} fails with
 * it if the start-up ended before the Reply Frame was sent. Queue pairs, connectors and listeners fail with
 * {@link StreamEndedException}, even during set-up.
 */
public final class StartupException extends IwarpException {
    private static final long serialVersionUID = 1L;

    private final transient CloseReason reason;

    /**
     * Creates an exception. Its message is the sentence of the reason.
     *
     * @param reason why it ended, and who ended it
     */
    public StartupException(CloseReason reason) {
        super(Objects.requireNonNull(reason, "reason").toString(), reason.cause());
        this.reason = reason;
    }

    /** Returns why it ended, and who ended it. Serialization keeps only the message. */
    public CloseReason reason() {
        return reason;
    }
}
