package io.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The targets of completions of requests posted with an id: the listener of the queue pair, or completion queues. One
 * thread sets them before the first post; any thread reads them.
 */
final class CompletionRoutes {
    private volatile @Nullable CompletionTarget sends;
    private volatile @Nullable CompletionTarget receives;
    private volatile boolean toQueues;
    private volatile boolean toMessages;

    /** Returns routes for requests other than receives, to one target. */
    static CompletionRoutes of(CompletionTarget target) {
        CompletionRoutes routes = new CompletionRoutes();
        routes.sends = target;
        return routes;
    }

    /**
     * Sets the listener for completions.
     *
     * @throws IllegalStateException if completion queues or a listener for messages are set
     */
    void listener(CompletionTarget listener) {
        requireReplaceable();
        sends = listener;
        receives = listener;
    }

    /** Sets what gets messages as long as nothing else is set. */
    void pull(CompletionTarget queue) {
        receives = queue;
    }

    /** Sets what gets messages, and nothing else. */
    void messages(CompletionTarget listener) {
        toMessages = true;
        receives = listener;
    }

    /** Sets the completion queues. */
    void queues(CompletionTarget forSends, CompletionTarget forReceives) {
        sends = forSends;
        receives = forReceives;
        toQueues = true;
    }

    void requireReplaceable() {
        if (toMessages) {
            throw new IllegalStateException("the messages of this queue pair go to its listener for messages: use the"
                    + " posts that return a future, or newSendQueue(listener)");
        }
        if (toQueues) {
            throw new IllegalStateException("the queue pair has its completion queues already");
        }
    }

    /** Returns whether completion queues are set. */
    boolean toCompletionQueues() {
        return toQueues;
    }

    CompletionTarget forSends() {
        return required(sends);
    }

    CompletionTarget forReceives() {
        return required(receives);
    }

    /** Returns the target of receives with an id, or null if none is set. */
    @Nullable
    CompletionTarget receiveTarget() {
        return receives;
    }

    private static CompletionTarget required(@Nullable CompletionTarget target) {
        if (target == null) {
            throw new IllegalStateException("no target for the completion: set a completion listener or a"
                    + " completion queue on the queue pair, or use the form that returns a future");
        }
        return target;
    }

    /**
     * Event loop: called when the stream has ended and all requests posted so far are complete. May be called again.
     */
    void onFlushed() {
        CompletionTarget sendEnd = sends;
        if (sendEnd != null) {
            sendEnd.end();
        }
        CompletionTarget receiveEnd = receives;
        if (receiveEnd != null) {
            receiveEnd.end();
        }
    }
}
