package io.iwarp.verbs;

import io.iwarp.CloseReason;

/**
 * Handles completed work requests. A listener of a queue pair is called on the event loop and must not block. A handler
 * for {@link CompletionQueue#poll} is called by the polling thread.
 */
@FunctionalInterface
public interface CompletionListener {
    /**
     * Called when a work request has completed. An exception thrown on an event loop ends the stream, since the
     * completion is lost, and is the cause of its {@link CloseReason}; the flushed completions are still delivered. An
     * exception thrown during {@code poll} is thrown by {@code poll}.
     *
     * @param queuePair the queue pair of the request; the listener may post on it
     * @param completion valid during the call only
     */
    void onCompletion(QueuePair queuePair, CompletionView completion);

    /**
     * Called by {@link CompletionQueue#poll} when a queue pair has ended and all its completions of this queue have
     * been polled, once for each queue. A listener of a queue pair is not called: {@link QueuePairListener#onClosed} is
     * for that.
     */
    default void onClosed(QueuePair queuePair, CloseReason reason) {}
}
