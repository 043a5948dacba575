package io.iwarp.verbs;

import io.iwarp.CloseReason;

/**
 * Learns of the life of a queue pair. Called on its event loop; it must not block. An exception thrown here is logged and
 * otherwise ignored.
 */
public interface QueuePairListener {
    /** A listener that does nothing. */
    QueuePairListener NONE = new QueuePairListener() {};

    /** Start-up is over and requests of this side flow: at a responder, once the initiator's first message has come. */
    default void onReady(QueuePair queuePair) {}

    /**
     * The peer has closed its half of the connection and will send nothing more; this side may go on sending. Followed by
     * an orderly close of the other half if {@link QueuePairSettings#closeWithPeer} is set.
     */
    default void onPeerClosedHalf(QueuePair queuePair) {}

    /** The stream is over, every request has completed. Called once for every queue pair that began a connection. */
    default void onClosed(QueuePair queuePair, CloseReason reason) {}
}
