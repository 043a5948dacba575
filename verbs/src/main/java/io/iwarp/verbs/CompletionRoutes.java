package io.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Where the completions of requests posted with an id go: to the listener of the queue pair, or to completion queues. Set
 * up before the first post, by one thread; read by any.
 */
final class CompletionRoutes {
    private volatile @Nullable CompletionTarget sends;
    private volatile @Nullable CompletionTarget receives;
    private volatile boolean toQueues;

    /** Sets who is told of what goes to no completion queue. */
    void listener(CompletionTarget listener) {
        if (!toQueues) {
            sends = listener;
            receives = listener;
        }
    }

    /** Sets the ways to completion queues. */
    void queues(CompletionTarget forSends, CompletionTarget forReceives) {
        sends = forSends;
        receives = forReceives;
        toQueues = true;
    }

    void requireNoQueues() {
        if (toQueues) {
            throw new IllegalStateException("the queue pair has its completion queues already");
        }
    }

    /** Returns whether completion queues were set. */
    boolean toCompletionQueues() {
        return toQueues;
    }

    CompletionTarget forSends() {
        return required(sends);
    }

    CompletionTarget forReceives() {
        return required(receives);
    }

    /** Returns who is told of receives with an id, or null if nobody is set. */
    @Nullable
    CompletionTarget receiveTarget() {
        return receives;
    }

    private static CompletionTarget required(@Nullable CompletionTarget target) {
        if (target == null) {
            throw new IllegalStateException("nobody would learn of the completion: set a completion listener or a"
                    + " completion queue on the queue pair, or use the form that returns a future");
        }
        return target;
    }

    /** Event loop: the stream is over and everything posted so far was completed. May be called again. */
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
