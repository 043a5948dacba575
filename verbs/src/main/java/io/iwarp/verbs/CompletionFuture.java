package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.StreamEndedException;
import io.netty.channel.EventLoop;
import java.util.function.Function;

/** The future of one work request. */
final class CompletionFuture<T> extends LoopFuture<T> implements CompletionTarget {
    private final Function<Completion, T> result;

    /**
     * @param eventLoop completes the future
     * @param result what the future completes with
     */
    CompletionFuture(EventLoop eventLoop, Function<Completion, T> result) {
        super(eventLoop);
        this.result = result;
    }

    @Override
    public void complete(Completion completion, CompletionBound place) {
        place.release();
        CloseReason failure = completion.failure();
        if (failure == null) {
            complete(result.apply(completion));
        } else {
            completeExceptionally(new StreamEndedException(failure));
        }
    }
}
