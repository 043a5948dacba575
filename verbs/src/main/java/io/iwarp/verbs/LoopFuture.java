package io.iwarp.verbs;

import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A future that an event loop completes. An event loop must not wait for it: like Netty's futures, {@link #get} and
 * {@link #join} throw {@link BlockingOperationException} there unless the future is done. The same holds for dependent
 * futures.
 */
class LoopFuture<T> extends CompletableFuture<T> {
    final Iterable<EventExecutor> loops;

    /** @param loops the event loops that must not wait; a single event loop is a group of itself */
    LoopFuture(Iterable<EventExecutor> loops) {
        this.loops = loops;
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

    @Override
    public CompletionStage<T> minimalCompletionStage() {
        LoopStage<T> stage = new LoopStage<>(loops);
        whenComplete(stage::relay);
        return stage;
    }

    /** Completes this future with the outcome of another one, a failure in the form that a dependent future reports. */
    final void relay(T value, @Nullable Throwable failure) {
        if (failure == null) {
            super.complete(value);
        } else {
            super.completeExceptionally(
                    failure instanceof CompletionException ? failure : new CompletionException(failure));
        }
    }

    /**
     * A stage that only this library can complete, as {@link CompletableFuture#minimalCompletionStage} returns, except
     * that {@link #toCompletableFuture} returns a {@link LoopFuture}. Waiting fails because it asks {@link #isDone} first.
     */
    private static final class LoopStage<T> extends LoopFuture<T> {
        LoopStage(Iterable<EventExecutor> loops) {
            super(loops);
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new LoopStage<>(loops);
        }

        @Override
        public CompletableFuture<T> toCompletableFuture() {
            LoopFuture<T> future = new LoopFuture<>(loops);
            whenComplete(future::relay);
            return future;
        }

        private static UnsupportedOperationException onlyAStage() {
            return new UnsupportedOperationException(
                    "this stage can be chained to, but not queried, waited for or completed: toCompletableFuture()"
                            + " gives a future of it");
        }

        @Override
        public T getNow(T valueIfAbsent) {
            throw onlyAStage();
        }

        @Override
        public boolean complete(T value) {
            throw onlyAStage();
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            throw onlyAStage();
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            throw onlyAStage();
        }

        @Override
        public void obtrudeValue(T value) {
            throw onlyAStage();
        }

        @Override
        public void obtrudeException(Throwable failure) {
            throw onlyAStage();
        }

        @Override
        public boolean isDone() {
            throw onlyAStage();
        }

        @Override
        public boolean isCancelled() {
            throw onlyAStage();
        }

        @Override
        public boolean isCompletedExceptionally() {
            throw onlyAStage();
        }

        @Override
        public int getNumberOfDependents() {
            throw onlyAStage();
        }

        @Override
        public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
            throw onlyAStage();
        }

        @Override
        public CompletableFuture<T> orTimeout(long timeout, TimeUnit unit) {
            throw onlyAStage();
        }

        @Override
        public CompletableFuture<T> completeOnTimeout(T value, long timeout, TimeUnit unit) {
            throw onlyAStage();
        }
    }
}
