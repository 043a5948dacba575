package io.iwarp.memory;

/**
 * Memory cannot be advertised or used any more: its region or window was invalidated or closed, or its stream has
 * ended. This can happen to a correct program at any time: a peer may invalidate an STag with a Send with Invalidate,
 * and a stream may end before the registration.
 */
public final class RegistrationEndedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    RegistrationEndedException(String message) {
        super(message);
    }
}
