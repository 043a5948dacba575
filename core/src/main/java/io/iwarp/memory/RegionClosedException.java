package io.iwarp.memory;

import io.iwarp.IwarpException;

/**
 * Memory cannot be advertised or used any more: its region or window was invalidated or closed, or its stream has
 * ended. A peer may invalidate an STag with a Send with Invalidate, and a stream may end before the registration.
 */
public final class RegionClosedException extends IwarpException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was closed, and what to do
     */
    public RegionClosedException(String message) {
        super(message, null);
    }
}
