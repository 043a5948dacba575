package io.iwarp.transports;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.ImmediateData;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Each completion by a future of its own. */
record FuturePosts(QueuePair queuePair) implements Posts {
    FuturePosts(QueuePair queuePair, Consumer<CompletionView> unposted) {
        this(queuePair.setCompletionListener((completed, completion) -> unposted.accept(completion)));
    }

    @Override
    public CompletableFuture<Completion> send(ByteBuf message, PostOptions options) {
        return queuePair.send(message, options);
    }

    @Override
    public CompletableFuture<Completion> sendWithInvalidate(
            ByteBuf message, RemoteBuffer invalidated, PostOptions options) {
        return queuePair.sendWithInvalidate(message, invalidated, options);
    }

    @Override
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target, PostOptions options) {
        return queuePair.write(source, target, options);
    }

    @Override
    public CompletableFuture<Completion> writeWithImmediate(
            ByteBuf source, RemoteBuffer target, long data, PostOptions options) {
        return queuePair.writeWithImmediate(source, target, new ImmediateData(data), options);
    }

    @Override
    public CompletableFuture<Completion> sendImmediate(long data, PostOptions options) {
        return queuePair.sendImmediate(new ImmediateData(data), options);
    }

    @Override
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source, PostOptions options) {
        return queuePair.read(sink, source, options);
    }

    @Override
    public CompletableFuture<Long> fetchAdd(RemoteBuffer number, long add) {
        return queuePair.fetchAdd(number, add);
    }

    @Override
    public CompletableFuture<Long> compareSwap(RemoteBuffer number, long expected, long replacement) {
        return queuePair.compareSwap(number, expected, replacement);
    }

    @Override
    public CompletableFuture<Completion> receive(ByteBuf sink) {
        return queuePair.receive(sink);
    }
}
