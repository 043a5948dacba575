package io.iwarp.verbs;

/**
 * The slots of a send or receive queue. A slot is in use until the completion of its request is reported to the
 * application. A {@link CompletionPort} reserves room for as many completions.
 */
interface QueueSlots {
    /** Returns the number of slots, at least 1. */
    int depth();

    /** Returns the number of slots in use. Any thread may call it; the result is exact once no request can be added. */
    int unreleasedCount();

    /** Allows any thread to call {@link #release}. Call it before the first request. */
    void allowReleaseByAnyThread();

    /** Releases a slot, when the completion of its request is reported to the application. */
    void release();
}
