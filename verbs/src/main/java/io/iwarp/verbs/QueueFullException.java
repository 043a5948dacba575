package io.iwarp.verbs;

/**
 * Thrown when a post exceeds the queue's depth or the maximum number of outstanding bytes. Nothing was posted; post
 * again when a request has completed.
 */
public final class QueueFullException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    QueueFullException(long asked, long taken, long limit) {
        super("a request of " + asked + " bytes was posted while uncompleted ones have " + taken + " of the " + limit
                + " bytes that they may have together: "
                + (asked > limit ? "post it in smaller pieces" : "wait for a completion")
                + ", or configure greater maximumOutstandingBytes");
    }

    QueueFullException(String queue, int depth) {
        super("the " + queue + " queue holds " + depth
                + " uncompleted requests, its full depth: wait for a completion, or configure a greater depth");
    }
}
