package io.iwarp.verbs;

/**
 * A request was posted on a queue that holds as many uncompleted requests as its depth allows, or whose requests have as many
 * bytes together as they may. Nothing was posted; post again when a request has completed.
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
