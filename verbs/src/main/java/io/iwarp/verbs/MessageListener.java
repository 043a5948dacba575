package io.iwarp.verbs;

import io.iwarp.CloseReason;

/**
 * Takes the messages of peers. Called on the event loop of the connection, which must not block. If a method throws,
 * the stream ends, and its {@link CloseReason} has what was thrown.
 */
@FunctionalInterface
public interface MessageListener {
    /**
     * Called for each message, in the order the peer sent them. The bytes of Writes that the peer posted before are in
     * place.
     *
     * @param message valid during the call; its bytes are released afterwards, unless they are retained
     */
    void onMessage(QueuePair queuePair, Message message);

    /** Called when the stream has ended. No message follows. */
    default void onClosed(QueuePair queuePair, CloseReason reason) {}
}
