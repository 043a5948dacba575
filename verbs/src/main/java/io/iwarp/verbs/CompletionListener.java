package io.iwarp.verbs;

/**
 * Handles completed work requests. A listener of a queue pair is called on the event loop and must not block. A handler
 * for {@link CompletionQueue#poll} is called by the polling thread.
 */
@FunctionalInterface
public interface CompletionListener {
    /**
     * Called when a work request has completed. An exception thrown on an event loop ends the stream, since the
     * completion is lost, and is the cause of its {@link io.iwarp.CloseReason}; the flushed completions are still
     * delivered. An exception thrown during {@code poll} is thrown by {@code poll}.
     *
     * @param queuePair the queue pair of the request; the listener may post on it
     * @param completion valid during the call only
     */
    void onCompletion(QueuePair queuePair, CompletionView completion);
}
