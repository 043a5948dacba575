package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.EventExecutor;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A future that an event loop completes. An event loop must not wait for it: like Netty's futures, {@link #get} and
 * {@link #join} throw {@link BlockingOperationException} there unless the future is done. The same holds for futures
 * that its methods return, for example {@link #copy} and {@link #thenApply}. It does not hold for futures that are made
 * by others and wait for this one, for example by {@link CompletableFuture#allOf}.
 */
final class LoopFuture<T> extends CompletableFuture<T> implements CompletionTarget {
    private final Iterable<EventExecutor> loops;
    private final @Nullable Function<Completion, T> result;

    /** @param loops the event loops that must not wait; a single event loop is a group of itself */
    LoopFuture(Iterable<EventExecutor> loops) {
        this.loops = loops;
        this.result = null;
    }

    /**
     * Creates the future of one request.
     *
     * @param eventLoop completes the future, and must not wait
     * @param result what the future completes with
     */
    LoopFuture(EventLoop eventLoop, Function<Completion, T> result) {
        this.loops = eventLoop;
        this.result = result;
    }

    @Override
    public void complete(Completion completion, CompletionBound place) {
        place.release();
        CloseReason failure = completion.failure();
        if (failure == null) {
            complete(Objects.requireNonNull(result, "not the future of a request")
                    .apply(completion));
        } else {
            completeExceptionally(new ConnectionClosedException(failure));
        }
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new LoopFuture<>(loops);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        checkMayWait();
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        checkMayWait();
        return super.get(timeout, unit);
    }

    @Override
    public T join() {
        checkMayWait();
        return super.join();
    }

    private void checkMayWait() {
        if (isDone()) {
            return;
        }
        for (EventExecutor loop : loops) {
            if (loop.inEventLoop()) {
                throw new BlockingOperationException("an event loop must not wait for this future, which an event loop"
                        + " completes: use thenAccept or thenCompose, or wait on a thread of your own");
            }
        }
    }
}
