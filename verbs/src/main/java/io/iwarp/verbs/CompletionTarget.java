package io.iwarp.verbs;

/** Gets the completions of requests: an application's listener, a completion queue or a future. */
@FunctionalInterface
interface CompletionTarget {
    /**
     * Event loop: a request has completed, and its slot is retired. Releases the place of the request as soon as it may be
     * posted again: before the application's listener is called, or when the application has polled the completion.
     *
     * @param completion valid during the call only
     * @param place where the request counts until it is released
     */
    void complete(Completion completion, CompletionBound place);

    /** Event loop: the stream is over and everything posted so far was completed. May be called again. */
    default void end() {}
}
