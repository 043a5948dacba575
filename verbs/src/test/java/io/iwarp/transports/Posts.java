package io.iwarp.transports;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.PostOptions;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;

/** The operations of a queue pair, for each way of completion. */
interface Posts {
    CompletableFuture<Completion> send(ByteBuf message, PostOptions options);

    CompletableFuture<Completion> sendWithInvalidate(ByteBuf message, RemoteBuffer invalidated, PostOptions options);

    CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target, PostOptions options);

    CompletableFuture<Completion> writeWithImmediate(
            ByteBuf source, RemoteBuffer target, long data, PostOptions options);

    CompletableFuture<Completion> sendImmediate(long data, PostOptions options);

    CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source, PostOptions options);

    CompletableFuture<Long> fetchAdd(RemoteBuffer number, long add);

    CompletableFuture<Long> compareSwap(RemoteBuffer number, long expected, long replacement);

    CompletableFuture<Completion> receive(ByteBuf sink);

    /** Gives back what it took to learn of completions; all have come. */
    default void close() throws InterruptedException {}
}
