package io.iwarp;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Something went wrong between the two sides of a stream. Misuse of the API is not reported by this exception but by
 * {@link IllegalArgumentException} and {@link IllegalStateException}.
 */
public class IwarpException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a message and, if there is one, a cause.
     *
     * @param message what happened and what to do about it
     * @param cause what the transport or the runtime reported, or null
     */
    public IwarpException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
