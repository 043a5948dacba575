package io.iwarp.verbs;

/** Accepts or rejects connection requests. Called on the event loop of each new channel; it must not block. */
@FunctionalInterface
public interface ConnectionRequestListener {
    /**
     * Called when a peer requests a connection. Call {@link ConnectionRequest#accept} or
     * {@link ConnectionRequest#reject}, now or later and from any thread, but within the start-up timeout. If this
     * method throws before the request is accepted or rejected, the connection is closed, and the exception is logged
     * and is the cause in the {@link io.iwarp.CloseReason}.
     *
     * @param request the request; set up its queue pair before accepting
     */
    void onConnectionRequest(ConnectionRequest request);
}
