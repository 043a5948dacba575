package io.iwarp.verbs;

/**
 * How many requests of one kind a queue pair may have whose end its application has not learned of. It is what a {@link
 * CompletionPort} needs room for.
 */
interface CompletionBound {
    /** Returns the bound, at least 1. */
    int depth();

    /** Returns how many there are; any thread, a moment's view, but final once nothing can be added any more. */
    int uncompleted();

    /** Lets {@link #release} be called by any thread. Call it before there is any request. */
    void releasedByConsumer();

    /** The application has learned of the end of one. */
    void release();
}
