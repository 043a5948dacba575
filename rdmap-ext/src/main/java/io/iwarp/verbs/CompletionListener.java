package io.iwarp.verbs;

/** Learns of completed work requests. Called on the event loop of the queue pair; it must not block. */
@FunctionalInterface
public interface CompletionListener {
    /**
     * A work request has completed. An exception thrown here is logged and otherwise ignored: the next completion comes
     * all the same.
     *
     * @param queuePair the queue pair it was posted on; posting again from here is welcome
     * @param completion valid during the call only
     */
    void onCompletion(QueuePair queuePair, Completion completion);
}
