package io.iwarp.verbs;

import io.iwarp.IwarpException;

/**
 * A post exceeds the depth of a queue, or what is left of the maximum number of outstanding bytes. Nothing was posted;
 * post again when a request has completed. A future fails with it, after {@link QueuePairSettings#postWait}; a post
 * with an id throws it.
 */
public final class QueueFullException extends IwarpException {
    private static final long serialVersionUID = 1L;

    private QueueFullException(String message) {
        super(message, null);
    }

    static QueueFullException ofSends(int depth, int waiting) {
        return new QueueFullException("the send queue holds " + (depth + waiting)
                + " uncompleted requests, sendQueueDepth " + depth + " and maxWaitingPosts " + waiting
                + ": wait for a completion, or configure more");
    }

    static QueueFullException ofReceives(int depth) {
        return new QueueFullException("the receive queue holds " + depth
                + " uncompleted receives, its receiveQueueDepth: wait for a completion, or configure more");
    }

    static QueueFullException ofSharedReceives(int depth) {
        return new QueueFullException("the shared receive queue holds " + depth
                + " uncompleted receives, its depth: wait for a completion, or create a deeper queue");
    }

    static QueueFullException ofBytes(long asked, long taken, long limit) {
        return new QueueFullException("a request of " + asked + " bytes was posted while uncompleted ones have " + taken
                + " of the " + limit + " bytes that they may have together: wait for a completion, or configure greater"
                + " maxOutstandingBytes");
    }
}
