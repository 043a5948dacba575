package io.iwarp.verbs;

import io.iwarp.CloseReason;

/** Listener for the state changes of a stream, called on the event loop. No method throws. */
interface EngineListener {
    /** Called when this side may send requests. */
    void onReady();

    /** Called when the set-up has failed. */
    void onSetupFailed(Exception why);

    /** Called when the peer has closed its half. */
    void onInputShutdown();

    /** Called when the stream has ended and every request has completed. */
    void onClosed(CloseReason reason);
}
