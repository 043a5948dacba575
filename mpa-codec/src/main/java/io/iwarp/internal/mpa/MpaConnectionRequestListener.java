package io.iwarp.internal.mpa;

import io.iwarp.mpa.MpaSettings;

/** Decides, for a responder, about the connection requests of initiators. */
@FunctionalInterface
public interface MpaConnectionRequestListener {

    /**
     * A valid MPA Request Frame arrived. The request waits until {@link MpaConnectionRequest#accept} or
     * {@link MpaConnectionRequest#reject} is called on it, here or later, from any thread, for at most the
     * {@linkplain MpaSettings#startupTimeout() start-up timeout}.
     *
     * <p>Called on the channel's event loop, so it must not block. If it throws before it has replied, the connection
     * is closed; an exception after the reply is logged.
     *
     * @param request the request of the initiator, with methods to reply to it
     */
    void onConnectionRequest(MpaConnectionRequest request);
}
