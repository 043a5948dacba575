package io.iwarp.verbs;

import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A future that an event loop completes. An event loop that waited for it would wait for itself, so {@link #get} and
 * {@link #join} throw {@link BlockingOperationException} there, as Netty's futures do, unless the future is done. The same
 * holds for what is chained to it.
 */
class LoopFuture<T> extends CompletableFuture<T> {
    private final Iterable<EventExecutor> loops;

    /** @param loops those that must not wait; an event loop is the group of itself */
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
                throw new BlockingOperationException(
                        "an event loop must not wait for this future, which an event loop"
                                + " completes: chain what follows with thenAccept or thenCompose, or wait in a thread of your own");
            }
        }
    }

    @Override
    public CompletionStage<T> minimalCompletionStage() {
        LoopStage<T> stage = new LoopStage<>(loops);
        whenComplete(stage::relay);
        return stage;
    }

    /** {@return a failure in the form in which a dependent future has it} */
    static Throwable ofDependent(Throwable failure) {
        return failure instanceof CompletionException ? failure : new CompletionException(failure);
    }
}
