package io.iwarp.transports;

import static io.iwarp.verbs.CompareSwap.compare;

import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.FetchAdd;
import io.iwarp.verbs.ImmediateData;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** All completions at one place, by the queue pair's listener, distinguished by the work-request id. */
class CallbackPosts implements Posts {
    private final QueuePair queuePair;
    private final Map<Long, CompletableFuture<Completion>> posted = new ConcurrentHashMap<>();
    private final Consumer<CompletionView> unposted;
    /** Negative, as receives that are not posted here have other ids. */
    private final AtomicLong nextId = new AtomicLong(Long.MIN_VALUE);

    CallbackPosts(QueuePair queuePair, Consumer<CompletionView> unposted) {
        this.unposted = unposted;
        this.queuePair = queuePair.setCompletionListener(this::onCompletion);
    }

    /** Takes a completion, on the thread that tells it. */
    final void onCompletion(QueuePair completed, CompletionView completion) {
        CompletableFuture<Completion> future = posted.remove(completion.workRequestId());
        if (future == null) {
            unposted.accept(completion);
        } else if (completion.successful()) {
            future.complete(completion.copy());
        } else {
            future.completeExceptionally(new ConnectionClosedException(completion.failure()));
        }
    }

    private CompletableFuture<Completion> post(LongConsumer request) {
        long id = nextId.getAndIncrement();
        CompletableFuture<Completion> future = new CompletableFuture<>();
        posted.put(id, future);
        request.accept(id);
        return future;
    }

    @Override
    public CompletableFuture<Completion> send(ByteBuf message, PostOptions options) {
        return post(id -> queuePair.sendQueue().send(id, message, options));
    }

    @Override
    public CompletableFuture<Completion> sendWithInvalidate(
            ByteBuf message, RemoteBuffer invalidated, PostOptions options) {
        return post(id -> queuePair.sendQueue().sendWithInvalidate(id, message, invalidated, options));
    }

    @Override
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target, PostOptions options) {
        return post(id -> queuePair.sendQueue().write(id, source, target, options));
    }

    @Override
    public CompletableFuture<Completion> writeWithImmediate(
            ByteBuf source, RemoteBuffer target, long data, PostOptions options) {
        return post(
                id -> queuePair.sendQueue().writeWithImmediate(id, source, target, new ImmediateData(data), options));
    }

    @Override
    public CompletableFuture<Completion> sendImmediate(long data, PostOptions options) {
        return post(id -> queuePair.sendQueue().sendImmediate(id, new ImmediateData(data), options));
    }

    @Override
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source, PostOptions options) {
        return post(id -> queuePair.sendQueue().read(id, sink, source, options));
    }

    @Override
    public CompletableFuture<Long> fetchAdd(RemoteBuffer number, long add) {
        return post(id -> queuePair.sendQueue().fetchAdd(id, number, FetchAdd.add(add), PostOptions.NONE))
                .thenApply(Completion::originalValue);
    }

    @Override
    public CompletableFuture<Long> compareSwap(RemoteBuffer number, long expected, long replacement) {
        return post(id -> queuePair
                        .sendQueue()
                        .compareSwap(id, number, compare(expected).swap(replacement), PostOptions.NONE))
                .thenApply(Completion::originalValue);
    }

    @Override
    public CompletableFuture<Completion> receive(ByteBuf sink) {
        return post(id -> queuePair.receiveQueue().receive(id, sink));
    }
}
