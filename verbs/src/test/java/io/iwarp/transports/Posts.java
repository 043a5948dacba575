package io.iwarp.transports;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.PostOptions;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletionStage;

/** The operations of a queue pair, whatever way their completions are told. */
interface Posts {
    CompletionStage<Completion> send(ByteBuf message, PostOptions options);

    CompletionStage<Completion> sendWithInvalidate(ByteBuf message, RemoteBuffer invalidated, PostOptions options);

    CompletionStage<Completion> write(ByteBuf source, RemoteBuffer target, PostOptions options);

    CompletionStage<Completion> writeWithImmediate(ByteBuf source, RemoteBuffer target, long data, PostOptions options);

    CompletionStage<Completion> sendImmediate(long data, PostOptions options);

    CompletionStage<Completion> read(ByteBuf sink, RemoteBuffer source, PostOptions options);

    CompletionStage<Long> fetchAdd(RemoteBuffer number, long add);

    CompletionStage<Long> compareSwap(RemoteBuffer number, long expected, long replacement);

    CompletionStage<Completion> receive(ByteBuf sink);

    /** Gives back what it took to learn of completions; all have come. */
    default void close() throws InterruptedException {}
}
