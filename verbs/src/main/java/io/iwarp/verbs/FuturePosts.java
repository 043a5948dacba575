package io.iwarp.verbs;

import io.iwarp.StreamEndedException;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The operations of a {@link QueuePair} with a future as the result. The future completes on the event loop with a copy
 * of the {@link Completion}, or fails with {@link StreamEndedException} if the stream ends first. Any thread may post.
 *
 * <p>The event loop that completes a future must not wait for it: {@code get} and {@code join} throw
 * {@link io.netty.util.concurrent.BlockingOperationException} there, unless the future is done. The same holds for
 * futures derived from it, for example by {@code thenApply}.
 *
 * <p>Each operation does what the operation of the same name in {@link SendQueue} or {@link ReceiveQueue} does, at the
 * start of the peer's buffer. Use {@link RemoteBuffer#slice} for another part of the buffer.
 */
public final class FuturePosts {
    private static final long MAX_SINK = Integer.MAX_VALUE;

    private final Poster poster;
    private final EventLoop eventLoop;

    FuturePosts(Poster poster, EventLoop eventLoop) {
        this.poster = poster;
        this.eventLoop = eventLoop;
    }

    /**
     * As {@link SendQueue#send(long, ByteBuf, PostOptions)}.
     *
     * @return completes when the transport has taken the bytes, which does not say that the peer has them
     */
    public CompletableFuture<Completion> send(ByteBuf message, PostOptions options) {
        return future(future -> poster.send(0, message, options, future));
    }

    /** As {@link SendQueue#send(long, MemoryRegion, long, long, PostOptions)}. */
    public CompletableFuture<Completion> send(MemoryRegion source, long offset, long length, PostOptions options) {
        return future(future -> poster.send(0, source, offset, length, options, future));
    }

    /** As {@link #sendWithInvalidate(ByteBuf, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> sendWithInvalidate(ByteBuf message, RemoteBuffer invalidated) {
        return sendWithInvalidate(message, invalidated, PostOptions.NONE);
    }

    /** As {@link SendQueue#sendWithInvalidate(long, ByteBuf, RemoteBuffer, PostOptions)}. */
    public CompletableFuture<Completion> sendWithInvalidate(
            ByteBuf message, RemoteBuffer invalidated, PostOptions options) {
        return future(future -> poster.sendWithInvalidate(0, message, invalidated, options, future));
    }

    /**
     * As {@link SendQueue#write(long, ByteBuf, RemoteBuffer, long, PostOptions)}.
     *
     * @return completes when the transport has taken the bytes, which does not say that the peer has them
     */
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target, PostOptions options) {
        return future(future -> poster.write(0, source, target, 0, options, future));
    }

    /** As {@link #write(MemoryRegion, long, long, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> write(MemoryRegion source, long offset, long length, RemoteBuffer target) {
        return write(source, offset, length, target, PostOptions.NONE);
    }

    /** As {@link SendQueue#write(long, MemoryRegion, long, long, RemoteBuffer, long, PostOptions)}. */
    public CompletableFuture<Completion> write(
            MemoryRegion source, long offset, long length, RemoteBuffer target, PostOptions options) {
        return future(future -> poster.write(0, source, offset, length, target, 0, options, future));
    }

    /** As {@link SendQueue#writeWithImmediate(long, ByteBuf, RemoteBuffer, long, long, PostOptions)}. */
    public CompletableFuture<Completion> writeWithImmediate(
            ByteBuf source, RemoteBuffer target, long data, PostOptions options) {
        return future(future -> poster.writeWithImmediate(0, source, target, 0, data, options, future));
    }

    /**
     * As {@link SendQueue#writeWithImmediate(long, MemoryRegion, long, long, RemoteBuffer, long, long, PostOptions)}.
     */
    public CompletableFuture<Completion> writeWithImmediate(
            MemoryRegion source, long offset, long length, RemoteBuffer target, long data, PostOptions options) {
        return future(future -> poster.writeWithImmediate(0, source, offset, length, target, 0, data, options, future));
    }

    /** As {@link SendQueue#sendImmediate(long, long, PostOptions)}. */
    public CompletableFuture<Completion> sendImmediate(long data, PostOptions options) {
        return future(future -> poster.immediate(0, data, options, future));
    }

    /** As {@link #read(MemoryRegion, long, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> read(MemoryRegion sink, long offset, RemoteBuffer source) {
        return read(sink, offset, source, PostOptions.NONE);
    }

    /**
     * Reads all of an advertised buffer, of up to 2^32 - 1 bytes, into a region, in one message.
     *
     * @param sink a region of this queue pair's domain with the right LOCAL_WRITE
     * @param offset of the first byte in the sink
     * @return completes when the bytes are in place
     * @throws IllegalArgumentException if the sink is not such a region, or the source is longer
     * @throws IndexOutOfBoundsException if the source does not fit behind the offset
     */
    public CompletableFuture<Completion> read(
            MemoryRegion sink, long offset, RemoteBuffer source, PostOptions options) {
        return future(future -> poster.read(0, sink, offset, source.length(), source, 0, options, future));
    }

    /**
     * Reads all of an advertised buffer. At its completion the sink's writer index has moved past the bytes.
     *
     * @param sink a direct buffer of one piece; used by one Read at a time
     * @return completes when the bytes are in place
     * @throws IllegalArgumentException if the sink is not such a buffer, or has fewer writable bytes than the source
     *     has bytes
     */
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source, PostOptions options) {
        if (source.length() > MAX_SINK) {
            throw new IllegalArgumentException(
                    source.length() + " bytes do not fit into one buffer: read slices of it, or read into a region");
        }
        int length = (int) source.length();
        return future(future -> poster.read(0, sink, length, source, 0, options, future));
    }

    /**
     * As {@link SendQueue#fetchAdd}.
     *
     * @param target 8 bytes, see {@link RemoteBuffer#number}
     * @return completes with the previous number
     * @throws IllegalArgumentException if the target has another length
     */
    public CompletableFuture<Long> fetchAdd(RemoteBuffer target, long add, long mask, PostOptions options) {
        requireNumber(target);
        return future(Completion::original, future -> poster.fetchAdd(0, target, 0, add, mask, options, future));
    }

    /**
     * As {@link SendQueue#compareSwap}.
     *
     * @param target 8 bytes, see {@link RemoteBuffer#number}
     * @return completes with the previous number
     * @throws IllegalArgumentException if the target has another length
     */
    public CompletableFuture<Long> compareSwap(RemoteBuffer target, CompareSwap numbers, PostOptions options) {
        requireNumber(target);
        return future(Completion::original, future -> poster.compareSwap(0, target, 0, numbers, options, future));
    }

    /**
     * As {@link ReceiveQueue#receive(long, ByteBuf)}.
     *
     * @return completes when a message has arrived; also fails if the stream ends in order before that
     */
    public CompletableFuture<Completion> receive(ByteBuf sink) {
        return future(future -> poster.receive(0, sink, future));
    }

    /** As {@link ReceiveQueue#receive(long, MemoryRegion, long, long)}. */
    public CompletableFuture<Completion> receive(MemoryRegion sink, long offset, long length) {
        return future(future -> poster.receive(0, sink, offset, length, future));
    }

    private static void requireNumber(RemoteBuffer target) {
        if (target.length() != Long.BYTES) {
            throw new IllegalArgumentException("an atomic works on " + Long.BYTES + " bytes, " + target + " has "
                    + target.length() + ": use number(index) or slice(offset, 8) of it");
        }
    }

    private CompletableFuture<Completion> future(Consumer<CompletionTarget> post) {
        return future(Completion::copy, post);
    }

    private <T> CompletableFuture<T> future(Function<Completion, T> result, Consumer<CompletionTarget> post) {
        CompletionFuture<T> future = new CompletionFuture<>(eventLoop, result);
        try {
            post.accept(future);
        } catch (QueuePairClosedException closed) {
            future.completeExceptionally(new StreamEndedException(closed.reason()));
        }
        return future;
    }
}
