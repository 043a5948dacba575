package io.iwarp.verbs;

/**
 * Learns of completed work requests. Set on a queue pair it is called on the event loop, and must not block; given to {@link
 * CompletionQueue#poll} it is called by the thread that polls.
 */
@FunctionalInterface
public interface CompletionListener {
    /**
     * A work request has completed. On an event loop an exception thrown here is logged and otherwise ignored: the next
     * completion comes all the same. One that polls gets it from {@code poll}.
     *
     * @param queuePair the queue pair it was posted on; posting again from here is welcome
     * @param completion valid during the call only
     */
    void onCompletion(QueuePair queuePair, Completion completion);
}
