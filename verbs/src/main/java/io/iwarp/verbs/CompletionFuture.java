package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.StreamEndedException;
import java.util.concurrent.CompletableFuture;

/** The future of one work request. */
final class CompletionFuture extends CompletableFuture<Completion> implements CompletionListener {
    @Override
    public void onCompletion(QueuePair queuePair, Completion completion) {
        CloseReason failure = completion.failure();
        if (failure == null) {
            complete(completion.copy());
        } else {
            completeExceptionally(new StreamEndedException(failure));
        }
    }
}
