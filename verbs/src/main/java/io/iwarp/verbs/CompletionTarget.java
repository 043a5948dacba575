package io.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/** The destination of completions: an application's listener, a completion queue or a future. */
@FunctionalInterface
interface CompletionTarget {
    /**
     * Returns the target of requests posted with an id.
     *
     * @throws IllegalStateException if none is set
     */
    static CompletionTarget required(@Nullable CompletionTarget target) {
        if (target == null) {
            throw new IllegalStateException("no target for the completion: set a completion listener or a"
                    + " completion queue on the queue pair, or use the form that returns a future");
        }
        return target;
    }

    /**
     * Event loop: called once, before {@link #complete}. Returns false if the application has cancelled the request;
     * {@code complete} is not called in that case.
     */
    default boolean settle() {
        return true;
    }

    /**
     * Event loop: called when a request has completed and its slot is retired. Releases the place of the request as
     * soon as it can be reused: before the application's listener is called, or when the application polls the
     * completion.
     *
     * @param completion valid during the call only
     * @param slots the bound that counts the request until its release
     */
    void complete(CompletionView completion, QueueSlots slots);

    /**
     * Event loop: called when the stream has ended and all requests posted so far are complete. May be called again.
     */
    default void end() {}
}
