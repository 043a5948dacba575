package io.iwarp;

import java.util.Objects;

/**
 * The connection could not be set up: the peer's first bytes were not valid, none came in time, or the connection was
 * lost.
 *
 * <p>Only whoever uses MPA by itself meets it: the future of an answer to an {@code MpaConnectionRequest} fails with it if
 * the start-up ended before the Reply Frame had left. Queue pairs, connectors and listeners fail with
 * {@link StreamEndedException} instead, also in set-up, so there is no need to catch it there.
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
