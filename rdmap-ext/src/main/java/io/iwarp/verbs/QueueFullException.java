package io.iwarp.verbs;

/** A request was posted on a queue that holds as many uncompleted requests as its depth allows. Nothing was posted. */
public final class QueueFullException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    QueueFullException(String queue, int depth) {
        super("the " + queue + " queue holds " + depth
                + " uncompleted requests, its full depth: wait for a completion, or configure a greater depth");
    }
}
