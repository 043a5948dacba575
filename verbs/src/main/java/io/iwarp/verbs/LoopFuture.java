package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.EventExecutor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
 *
 * <p><b>Cancellation.</b> The future of a request refers to it until one of two threads settles the future: the event
 * loop, when the request is over, or the application, which cancels it or lets it time out. Each settles it with one
 * {@code getAndSet}, so exactly one succeeds. If the application does, the request is cancelled. While the event loop
 * places bytes of a response, it has marked the future, and the application waits for the end of that copy. So no byte
 * is placed once {@link #cancel} has returned.
 */
class LoopFuture<T> extends CompletableFuture<T> implements CompletionTarget {
    /** A request that is cancelled when the application settles its future. */
    interface Cancellable {
        /** Any thread: the application has settled the future of the request, which may be over by now. */
        void cancel(LoopFuture<?> future);
    }

    private static final Cancellable SETTLED = future -> {};
    private static final Cancellable PLACING = future -> {};
    private static final VarHandle POSTED;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(LoopFuture.class, "posted", Cancellable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Iterable<EventExecutor> loops;
    private final @Nullable Function<CompletionView, T> result;
    /** The request; {@link #PLACING} or {@link #SETTLED}; null without a request. */
    @SuppressWarnings("unused") // by POSTED
    private volatile @Nullable Cancellable posted;

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
    LoopFuture(EventLoop eventLoop, Function<CompletionView, T> result) {
        this.loops = eventLoop;
        this.result = result;
    }

    /** Posting thread: attaches the request before it is published. */
    final void attach(Cancellable request) {
        POSTED.setRelease(this, request);
    }

    /** Event loop: returns whether the application has settled the future. */
    final boolean isSettled() {
        return posted == SETTLED;
    }

    /** Event loop: returns whether bytes of a response may be placed, until {@link #endPlacement}. */
    final boolean beginPlacement(Cancellable request) {
        return POSTED.compareAndSet(this, request, PLACING) || posted == PLACING;
    }

    /** Event loop: the bytes of a response are placed. May be called without {@link #beginPlacement}. */
    final void endPlacement(Cancellable request) {
        if (posted == PLACING) {
            POSTED.setRelease(this, request);
        }
    }

    @Override
    public final boolean settle() {
        return POSTED.getAndSet(this, SETTLED) != SETTLED;
    }

    @Override
    public final void complete(CompletionView completion, QueueSlots slots) {
        slots.release();
        completeWith(completion);
    }

    /** Event loop: completes this future, which is settled. */
    final void completeWith(CompletionView completion) {
        CloseReason reason = completion.failure();
        if (reason != null) {
            super.completeExceptionally(new ConnectionClosedException(reason));
            return;
        }
        T value;
        try {
            value = Objects.requireNonNull(result, "not the future of a request")
                    .apply(completion);
        } catch (Throwable failure) {
            super.completeExceptionally(failure);
            return;
        }
        super.complete(value);
    }

    @Override
    public boolean complete(@Nullable T value) {
        Cancellable before = settleHere();
        return before != SETTLED && cancelRequest(super.complete(value), before);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        Cancellable before = settleHere();
        return before != SETTLED && cancelRequest(super.completeExceptionally(failure), before);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        Cancellable before = settleHere();
        return before == SETTLED ? isCancelled() : cancelRequest(super.cancel(mayInterruptIfRunning), before);
    }

    private boolean cancelRequest(boolean settled, @Nullable Cancellable request) {
        if (request != null) {
            request.cancel(this);
        }
        return settled;
    }

    /** Returns the request, if this call has settled the future. */
    private @Nullable Cancellable settleHere() {
        while (true) {
            Cancellable before = posted;
            if (before == PLACING) {
                Thread.onSpinWait();
            } else if (before == SETTLED || POSTED.compareAndSet(this, before, SETTLED)) {
                return before;
            }
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
