package io.iwarp.verbs;

import io.iwarp.CloseReason;

/**
 * Is notified of the state changes of a queue pair. Called on its event loop; it must not block. An exception thrown
 * here is logged and otherwise ignored.
 */
public interface QueuePairListener {
    /** A listener that does nothing. */
    QueuePairListener NONE = new QueuePairListener() {};

    /**
     * Called when start-up is complete and this side may send requests. At a responder this is when the initiator's
     * first message has arrived.
     */
    default void onReady(QueuePair queuePair) {}

    /**
     * Called when the peer has closed its half of the connection. This side may continue to send. An orderly close of
     * this side's half follows if {@link QueuePairSettings#closeWithPeer} is set.
     */
    default void onInputShutdown(QueuePair queuePair) {}

    /**
     * Called when the stream has ended and every request has completed, once for every queue pair that began a
     * connection.
     */
    default void onClosed(QueuePair queuePair, CloseReason reason) {}
}
