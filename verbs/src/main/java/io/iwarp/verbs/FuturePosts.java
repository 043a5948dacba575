package io.iwarp.verbs;

import io.iwarp.StreamEndedException;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The operations of a {@link QueuePair} in the form that returns a future, which completes on the event loop with a copy of
 * the {@link Completion}.
 */
abstract class FuturePosts extends RequestPosts {
    private static final long GREATEST_SINK = Integer.MAX_VALUE;

    /** As {@link #send(ByteBuf, PostOptions)}, without options. */
    public CompletableFuture<Completion> send(ByteBuf message) {
        return send(message, PostOptions.NONE);
    }

    /**
     * As {@link #send(long, ByteBuf, PostOptions)}.
     *
     * @return completes when the transport has taken the bytes, which does not say that the peer has them; fails with
     *     {@link StreamEndedException} if the stream ends before
     */
    public CompletableFuture<Completion> send(ByteBuf message, PostOptions options) {
        return future(future -> poster().send(0, message, options, future));
    }

    /** As {@link #send(long, MemoryRegion, long, long, PostOptions)}, with a future. */
    public CompletableFuture<Completion> send(MemoryRegion source, long offset, long length, PostOptions options) {
        return future(future -> poster().send(0, source, offset, length, options, future));
    }

    /** As {@link #sendWithInvalidate(long, ByteBuf, int, PostOptions)}, without options. */
    public CompletableFuture<Completion> sendWithInvalidate(ByteBuf message, int stag) {
        return sendWithInvalidate(message, stag, PostOptions.NONE);
    }

    /** As {@link #sendWithInvalidate(long, ByteBuf, int, PostOptions)}, with a future. */
    public CompletableFuture<Completion> sendWithInvalidate(ByteBuf message, int stag, PostOptions options) {
        return future(future -> poster().sendWithInvalidate(0, message, stag, options, future));
    }

    /** As {@link #write(ByteBuf, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target) {
        return write(source, target, PostOptions.NONE);
    }

    /**
     * As {@link #write(long, ByteBuf, int, long, PostOptions)}, to the start of an advertised buffer.
     *
     * @return completes when the transport has taken the bytes, which does not say that the peer has them; fails with
     *     {@link StreamEndedException} if the stream ends before
     * @throws IllegalArgumentException if the target is shorter than the source
     */
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target, PostOptions options) {
        checkFits(source.readableBytes(), target);
        return future(future -> poster().write(0, source, target.stag(), target.taggedOffset(), options, future));
    }

    /** As {@link #write(MemoryRegion, long, long, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> write(MemoryRegion source, long offset, long length, RemoteBuffer target) {
        return write(source, offset, length, target, PostOptions.NONE);
    }

    /**
     * Writes a part of a region to the start of an advertised buffer, in one message.
     *
     * @param source of any protection domain and with any rights: it is read as local memory
     * @param offset in the source, of the first byte
     * @param length 0 to 2^32 - 1 bytes
     * @throws IllegalArgumentException if the target is shorter than the source
     */
    public CompletableFuture<Completion> write(
            MemoryRegion source, long offset, long length, RemoteBuffer target, PostOptions options) {
        checkFits(length, target);
        return future(future ->
                poster().write(0, source, offset, length, target.stag(), target.taggedOffset(), options, future));
    }

    /**
     * As {@link #writeWithImmediate(long, ByteBuf, int, long, long, PostOptions)}, to the start of an advertised buffer.
     *
     * @throws IllegalArgumentException if the target is shorter than the source
     */
    public CompletableFuture<Completion> writeWithImmediate(
            ByteBuf source, RemoteBuffer target, long data, PostOptions options) {
        checkFits(source.readableBytes(), target);
        return future(future ->
                poster().writeWithImmediate(0, source, target.stag(), target.taggedOffset(), data, options, future));
    }

    /**
     * As {@link #writeWithImmediate(long, MemoryRegion, long, long, int, long, long, PostOptions)}, to the start of an
     * advertised buffer.
     *
     * @throws IllegalArgumentException if the target is shorter than the source
     */
    public CompletableFuture<Completion> writeWithImmediate(
            MemoryRegion source, long offset, long length, RemoteBuffer target, long data, PostOptions options) {
        checkFits(length, target);
        return future(future -> poster().writeWithImmediate(
                        0, source, offset, length, target.stag(), target.taggedOffset(), data, options, future));
    }

    /** As {@link #sendImmediate(long, long, PostOptions)}, with a future. */
    public CompletableFuture<Completion> sendImmediate(long data, PostOptions options) {
        return future(future -> poster().immediate(0, data, options, future));
    }

    /** As {@link #read(MemoryRegion, long, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> read(MemoryRegion sink, long offset, RemoteBuffer source) {
        return read(sink, offset, source, PostOptions.NONE);
    }

    /**
     * Reads all of an advertised buffer, of up to 2^32 - 1 bytes, into a region, in one message.
     *
     * @param sink a region of this queue pair's domain with the right LOCAL_WRITE
     * @param offset in the sink, of the first byte
     * @return completes when the bytes are in place; fails with {@link StreamEndedException} if the stream ends before
     * @throws IllegalArgumentException if the sink is not such a region, or the source is longer
     * @throws IndexOutOfBoundsException if the source does not fit behind the offset
     */
    public CompletableFuture<Completion> read(
            MemoryRegion sink, long offset, RemoteBuffer source, PostOptions options) {
        return future(future ->
                poster().read(0, sink, offset, source.length(), source.stag(), source.taggedOffset(), options, future));
    }

    /** As {@link #read(ByteBuf, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source) {
        return read(sink, source, PostOptions.NONE);
    }

    /**
     * Reads all of an advertised buffer. At its completion the sink's writer index has moved past the bytes.
     *
     * @param sink a direct buffer of one piece
     * @return completes when the bytes are in place; fails with {@link StreamEndedException} if the stream ends before
     * @throws IllegalArgumentException if the sink has fewer writable bytes than the source has bytes, or is no such
     *     buffer
     */
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source, PostOptions options) {
        if (source.length() > GREATEST_SINK) {
            throw new IllegalArgumentException(
                    source.length() + " bytes do not fit into one buffer: read slices of it, or read into a region");
        }
        int length = (int) source.length();
        return future(future -> poster().read(0, sink, length, source.stag(), source.taggedOffset(), options, future));
    }

    /**
     * Adds to the 64-bit number at the start of an advertised buffer; {@link Completion#original} is what it was before.
     * The number lies in the byte order of the peer's machine. As {@link #fetchAdd(long, int, long, long, long, PostOptions)},
     * with one field and without options.
     */
    public CompletableFuture<Completion> fetchAdd(RemoteBuffer target, long add) {
        return fetchAdd(target, add, 0, PostOptions.NONE);
    }

    /** As {@link #fetchAdd(long, int, long, long, long, PostOptions)}, at the start of an advertised buffer. */
    public CompletableFuture<Completion> fetchAdd(RemoteBuffer target, long add, long mask, PostOptions options) {
        return future(future -> poster().fetchAdd(0, target.stag(), target.taggedOffset(), add, mask, options, future));
    }

    /**
     * Replaces the 64-bit number at the start of an advertised buffer if it is as expected; {@link Completion#original} is
     * what it was before, so it was replaced if that equals {@code expected}. The number lies in the byte order of the
     * peer's machine. As {@link #compareSwap(long, int, long, long, long, long, long, PostOptions)}, with all bits and
     * without options.
     */
    public CompletableFuture<Completion> compareSwap(RemoteBuffer target, long expected, long replacement) {
        return compareSwap(target, expected, -1, replacement, -1, PostOptions.NONE);
    }

    /**
     * As {@link #compareSwap(long, int, long, long, long, long, long, PostOptions)}, at the start of an advertised buffer.
     */
    public CompletableFuture<Completion> compareSwap(
            RemoteBuffer target,
            long expected,
            long expectedMask,
            long replacement,
            long replacementMask,
            PostOptions options) {
        return future(future -> poster().compareSwap(
                        0,
                        target.stag(),
                        target.taggedOffset(),
                        expected,
                        expectedMask,
                        replacement,
                        replacementMask,
                        options,
                        future));
    }

    /**
     * As {@link #receive(long, ByteBuf)}.
     *
     * @return completes when a message is here; fails with {@link StreamEndedException} if the stream ends before one came,
     *     also if it ends in order
     */
    public CompletableFuture<Completion> receive(ByteBuf sink) {
        return future(future -> poster().receive(0, sink, future));
    }

    /** As {@link #receive(long, MemoryRegion, long, long)}, with a future. */
    public CompletableFuture<Completion> receive(MemoryRegion sink, long offset, long length) {
        return future(future -> poster().receive(0, sink, offset, length, future));
    }

    private static CompletableFuture<Completion> future(Consumer<CompletionTarget> post) {
        CompletionFuture future = new CompletionFuture();
        try {
            post.accept(future);
        } catch (QueuePairClosedException closed) {
            future.completeExceptionally(new StreamEndedException(closed.reason()));
        }
        return future;
    }

    private static void checkFits(long length, RemoteBuffer target) {
        if (length > target.length()) {
            throw new IllegalArgumentException(length + " bytes do not fit into the " + target.length()
                    + " bytes of the peer's buffer: write less, or ask for a larger one");
        }
    }
}
