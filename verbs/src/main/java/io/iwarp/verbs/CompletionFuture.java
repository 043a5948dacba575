package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.StreamEndedException;
import io.netty.channel.EventLoop;

/** The future of one work request. */
final class CompletionFuture extends LoopFuture<Completion> implements CompletionTarget {
    /** @param eventLoop completes the future */
    CompletionFuture(EventLoop eventLoop) {
        super(eventLoop);
    }

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
