package io.iwarp.verbs;

/** Decides about connection requests. Called on the event loop of each new channel; it must not block. */
@FunctionalInterface
public interface ConnectionRequestListener {
    /**
     * A peer asks for a connection. Answer with {@link ConnectionRequest#accept} or {@link ConnectionRequest#reject}, now
     * or later and from any thread, but within the start-up timeout. If this method throws before the request was answered,
     * the connection is closed, and the exception is the cause in the {@link io.iwarp.CloseReason}.
     *
     * @param request its queue pair is there already: set listeners and post receives before accepting
     */
    void onConnectionRequest(ConnectionRequest request);
}
