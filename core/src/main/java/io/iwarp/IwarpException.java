package io.iwarp;

import org.jspecify.annotations.Nullable;

/**
 * A failure that a correct program must handle: the connection ended or was rejected
 * ({@link ConnectionClosedException}), a queue is full, a limit is reached, memory was revoked. It is unchecked, since
 * it mostly arrives as the failure of a future.
 *
 * <p>A wrong call is an {@link IllegalArgumentException}, {@link IllegalStateException} or a similar exception of the
 * JDK instead.
 */
public abstract class IwarpException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what happened and what to do about it
     * @param cause what the transport or the runtime reported, or null
     */
    protected IwarpException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * Creates an exception without a stack trace.
     *
     * @param message what happened and what to do about it; null if {@link #getMessage} is overridden
     */
    protected IwarpException(@Nullable String message) {
        super(message, null, false, false);
    }
}
