package io.iwarp.verbs;

import io.netty.buffer.ByteBuf;

/** Takes the messages of peers: the payload of their Sends. */
@FunctionalInterface
public interface MessageListener {
    /**
     * Called on the event loop of the connection for each message, in the order the peer sent them. The bytes of Writes
     * that the peer posted before are in place.
     *
     * @param message released after the call: {@linkplain ByteBuf#retain() retain} it to keep it, or to send it
     */
    void onMessage(QueuePair queuePair, ByteBuf message);
}
