package io.iwarp.verbs;

import io.iwarp.CloseReason;

/** Is told of the life of a stream, on the event loop. No method throws. */
interface LifeListener {
    /** Requests of this side may flow. */
    void onReady();

    /** The set-up was refused. */
    void onSetUpFailed(Exception why);

    /** The peer sends nothing any more. */
    void onPeerClosedHalf();

    /** The stream is over and every request has completed. */
    void onClosed(CloseReason reason);
}
