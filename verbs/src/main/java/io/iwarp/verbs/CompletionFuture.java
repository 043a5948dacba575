package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.StreamEndedException;
import java.util.concurrent.CompletableFuture;

/** The future of one work request. */
final class CompletionFuture extends CompletableFuture<Completion> implements CompletionTarget {
    @Override
    public void complete(Completion completion, CompletionBound place) {
        place.release();
        CloseReason failure = completion.failure();
        if (failure == null) {
            complete(completion.copy());
        } else {
            completeExceptionally(new StreamEndedException(failure));
        }
    }
}
