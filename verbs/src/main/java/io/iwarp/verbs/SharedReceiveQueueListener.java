package io.iwarp.verbs;

/**
 * Is notified when a {@link SharedReceiveQueue} runs low. Called on the event loop of the queue pair that took the
 * receive; it must not block.
 */
@FunctionalInterface
public interface SharedReceiveQueueListener {
    /**
     * Called when fewer receives remain than the limit that the queue was armed with. The queue is no longer armed
     * (verbs: {@code IBV_EVENT_SRQ_LIMIT_REACHED}). An exception thrown here is logged and otherwise ignored.
     *
     * @param queue the queue: post more receives, here or later, and arm it again
     * @param taker the queue pair that took the last one; {@link QueuePair#snapshot} shows how many it holds
     */
    void onLimit(SharedReceiveQueue queue, QueuePair taker);
}
