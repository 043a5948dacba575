package io.iwarp.verbs;

/**
 * Is notified when an armed {@link CompletionQueue} gets a completion (a verbs completion event). Called on the event
 * loop that added the completion; it must not block.
 */
@FunctionalInterface
public interface CompletionQueueListener {
    /**
     * Called when the queue has a completion of the kind it was armed for. The queue is no longer armed. An exception
     * thrown here is logged and otherwise ignored.
     *
     * @param queue the queue to poll, here or on a thread that this call wakes, but never on two threads at once
     */
    void onCompletionEvent(CompletionQueue queue);
}
