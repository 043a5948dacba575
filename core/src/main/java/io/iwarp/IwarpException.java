package io.iwarp;

import org.jspecify.annotations.Nullable;

/**
 * An error between the two sides of a stream. It is unchecked, since it mostly arrives as the failure of a future.
 * Misuse of the API is reported by {@link IllegalArgumentException} and {@link IllegalStateException} instead.
 */
public class IwarpException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what happened and what to do about it
     * @param cause what the transport or the runtime reported, or null
     */
    public IwarpException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
