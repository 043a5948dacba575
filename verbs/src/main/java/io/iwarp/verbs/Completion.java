package io.iwarp.verbs;

/**
 * The result of one posted work request, which does not change: what a future completes with, and what
 * {@link CompletionView#copy} returns. Any thread may read it.
 */
public final class Completion extends CompletionView {
    Completion(CompletionView values) {
        assign(values);
    }

    /** Returns this object. */
    @Override
    public Completion copy() {
        return this;
    }
}
