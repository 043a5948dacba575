package io.iwarp.verbs;

/**
 * Limits the requests of one kind whose end is not yet reported to the application. A {@link CompletionPort} reserves
 * room for that many.
 */
interface QueueSlots {
    /** Returns the bound, at least 1. */
    int depth();

    /**
     * Returns the current number of such requests. Any thread may call it; the result is exact once no request can be
     * added.
     */
    int unreleasedCount();

    /** Allows any thread to call {@link #release}. Call it before the first request. */
    void allowReleaseByAnyThread();

    /** Called when the end of one request is reported to the application. */
    void release();
}
