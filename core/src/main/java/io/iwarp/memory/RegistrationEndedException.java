package io.iwarp.memory;

/**
 * Memory cannot be offered to a peer, or used, any more: its region or window was invalidated or closed, or the stream that
 * it was to be for has ended. That may happen to a correct program at any time, as a peer may take back an STag with a Send
 * with Invalidate, and as a stream may end between the decision to register and the registration.
 */
public final class RegistrationEndedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    RegistrationEndedException(String message) {
        super(message);
    }
}
