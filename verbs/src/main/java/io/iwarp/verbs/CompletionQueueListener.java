package io.iwarp.verbs;

/**
 * Learns that a {@link CompletionQueue} which was armed has got a completion (a verbs completion event). Called on the event
 * loop that added the completion; it must not block.
 */
@FunctionalInterface
public interface CompletionQueueListener {
    /**
     * The queue has got a completion of the kind it was armed for; it is not armed any more. An exception thrown here is
     * logged and otherwise ignored.
     *
     * @param queue poll it, here or on a thread that this call wakes, but never on two threads at once
     */
    void onCompletionEvent(CompletionQueue queue);
}
