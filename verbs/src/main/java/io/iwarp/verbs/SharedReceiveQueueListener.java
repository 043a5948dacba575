package io.iwarp.verbs;

/**
 * Learns that a {@link SharedReceiveQueue} runs low. Called on the event loop of the queue pair that took the receive; it
 * must not block.
 */
@FunctionalInterface
public interface SharedReceiveQueueListener {
    /**
     * There are fewer receives than the limit that the queue was armed with; it is not armed any more (verbs:
     * {@code IBV_EVENT_SRQ_LIMIT_REACHED}). An exception thrown here is logged and otherwise ignored.
     *
     * @param queue post more receives on it, here or later, and arm it again
     * @param taker who took the last one; {@link QueuePair#snapshot} tells how many it holds
     */
    void onLimit(SharedReceiveQueue queue, QueuePair taker);
}
