package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.StreamEndedException;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.ResourceLimitException;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.Role;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.security.Principal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * One end of an RDMA connection: work is posted here and completes here.
 *
 * <p>Each operation comes in two forms. The form with a work-request id tells its completion to the
 * {@link #completionListener} or puts it into a {@link CompletionQueue}, allocates nothing, and is for code that moves millions of messages. The form without one
 * returns a future. Both may be called from any thread. A post never blocks: it costs one queue offer, and what several
 * threads posted leaves in one flush. A post beyond the queue's depth fails with {@link QueueFullException}. A post on a
 * queue pair that has ended fails with the reason why it ended: the form with an id throws
 * {@link QueuePairClosedException}, the other returns a future that failed with {@link StreamEndedException}.
 *
 * <p><b>Order.</b> Requests leave, and complete, in the order they were posted. Sends, Writes and Immediate Data also arrive
 * in that order: when the peer's application gets a Send, the octets of all Writes posted before it are in place. Of Reads
 * and atomics, as many as the ORD allows are unanswered at a time; the next one waits, and what was posted after it waits
 * as well. A later Send or Write may be in place before an earlier Read was carried out, unless it is
 * {@linkplain PostOptions#FENCED fenced} (RFC 5040 section 5.5). Posts of several threads are ordered by who came first.
 *
 * <p><b>Memory.</b> A post takes a reference of its own to the buffer or region and gives it back when the request
 * completes; the caller's reference stays the caller's. The octets of a Send or Write must not change before its
 * completion, those of a receive or Read must not be used before it. Local memory needs no registration; the sink of a Read
 * must be a direct buffer, and is registered for the time of the Read if it is not a region.
 *
 * <p><b>End.</b> Each request completes exactly once: with success, or flushed with the first cause that ended the stream
 * (the same in every flushed completion). {@link #close} ends in order, {@link #abort} at once. An error of the peer ends
 * the stream with a Terminate message; its meaning is in the {@link CloseReason}. Close a queue pair before its event loop is
 * shut down: a busy loop may end without closing its channels, and then nobody is left who could complete what was posted.
 *
 * <p>Completions, and the calls of {@link QueuePairListener}, come on the event loop of the channel, except for completions
 * that wait in a {@link CompletionQueue}.
 */
public final class QueuePair extends RequestPosts implements AutoCloseable {
    private static final long GREATEST_SINK = Integer.MAX_VALUE;

    private final QueuePairEngine engine;
    private final Poster poster;

    QueuePair(
            Channel channel,
            ProtectionDomain domain,
            QueuePairSettings settings,
            Role role,
            SetupGate.@Nullable Ticket setupTicket) {
        engine = new QueuePairEngine(this, channel, domain, settings, role, setupTicket);
        poster = new Poster(engine);
    }

    @Override
    QueuePairEngine engine() {
        return engine;
    }

    @Override
    Poster poster() {
        return poster;
    }

    /** As {@link #send(ByteBuf, PostOptions)}, without options. */
    public CompletableFuture<Completion> send(ByteBuf message) {
        return send(message, PostOptions.NONE);
    }

    /** As {@link #send(long, ByteBuf, PostOptions)}; the future fails with {@link StreamEndedException} if it is flushed. */
    public CompletableFuture<Completion> send(ByteBuf message, PostOptions options) {
        return future(listener -> poster.send(0, message, options, listener));
    }

    /** As {@link #send(long, MemoryRegion, long, long, PostOptions)}, with a future. */
    public CompletableFuture<Completion> send(MemoryRegion source, long offset, long length, PostOptions options) {
        return future(listener -> poster.send(0, source, offset, length, options, listener));
    }

    /** As {@link #sendWithInvalidate(long, ByteBuf, int, PostOptions)}, without options. */
    public CompletableFuture<Completion> sendWithInvalidate(ByteBuf message, int stag) {
        return sendWithInvalidate(message, stag, PostOptions.NONE);
    }

    /** As {@link #sendWithInvalidate(long, ByteBuf, int, PostOptions)}, with a future. */
    public CompletableFuture<Completion> sendWithInvalidate(ByteBuf message, int stag, PostOptions options) {
        return future(listener -> poster.sendWithInvalidate(0, message, stag, options, listener));
    }

    /** As {@link #write(ByteBuf, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target) {
        return write(source, target, PostOptions.NONE);
    }

    /**
     * Writes to the start of an advertised buffer.
     *
     * @throws IllegalArgumentException if the target is shorter than the source
     */
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target, PostOptions options) {
        checkFits(source.readableBytes(), target);
        return future(listener -> poster.write(0, source, target.stag(), target.taggedOffset(), options, listener));
    }

    /** As {@link #write(MemoryRegion, long, long, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> write(MemoryRegion source, long offset, long length, RemoteBuffer target) {
        return write(source, offset, length, target, PostOptions.NONE);
    }

    /**
     * Writes a part of a region to the start of an advertised buffer, in one message.
     *
     * @param offset in the source, of the first octet
     * @param length 0 to 2^32 - 1 octets
     * @throws IllegalArgumentException if the target is shorter than the source
     */
    public CompletableFuture<Completion> write(
            MemoryRegion source, long offset, long length, RemoteBuffer target, PostOptions options) {
        checkFits(length, target);
        return future(listener ->
                poster.write(0, source, offset, length, target.stag(), target.taggedOffset(), options, listener));
    }

    /**
     * As {@link #writeWithImmediate(long, ByteBuf, int, long, long, PostOptions)}, to the start of an advertised buffer.
     *
     * @throws IllegalArgumentException if the target is shorter than the source
     */
    public CompletableFuture<Completion> writeWithImmediate(
            ByteBuf source, RemoteBuffer target, long data, PostOptions options) {
        checkFits(source.readableBytes(), target);
        return future(listener ->
                poster.writeWithImmediate(0, source, target.stag(), target.taggedOffset(), data, options, listener));
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
        return future(listener -> poster.writeWithImmediate(
                0, source, offset, length, target.stag(), target.taggedOffset(), data, options, listener));
    }

    /** As {@link #sendImmediate(long, long, PostOptions)}, with a future. */
    public CompletableFuture<Completion> sendImmediate(long data, PostOptions options) {
        return future(listener -> poster.immediate(0, data, options, listener));
    }

    /** As {@link #read(MemoryRegion, long, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> read(MemoryRegion sink, long offset, RemoteBuffer source) {
        return read(sink, offset, source, PostOptions.NONE);
    }

    /**
     * Reads all of an advertised buffer into a region, in one message.
     *
     * @param offset in the sink, of the first octet
     */
    public CompletableFuture<Completion> read(
            MemoryRegion sink, long offset, RemoteBuffer source, PostOptions options) {
        return future(listener ->
                poster.read(0, sink, offset, source.length(), source.stag(), source.taggedOffset(), options, listener));
    }

    /** As {@link #read(ByteBuf, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source) {
        return read(sink, source, PostOptions.NONE);
    }

    /**
     * Reads all of an advertised buffer. At its completion the sink's writer index has moved past the octets.
     *
     * @param sink a direct buffer of one piece
     * @throws IllegalArgumentException if the sink has fewer writable octets than the source has octets
     */
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source, PostOptions options) {
        if (source.length() > GREATEST_SINK) {
            throw new IllegalArgumentException(
                    source.length() + " octets do not fit into one buffer: read slices of it, or read into a region");
        }
        int length = (int) source.length();
        return future(
                listener -> poster.read(0, sink, length, source.stag(), source.taggedOffset(), options, listener));
    }

    /** Adds to the 64-bit number at the start of an advertised buffer. */
    public CompletableFuture<Completion> fetchAdd(RemoteBuffer target, long add) {
        return fetchAdd(target, add, 0, PostOptions.NONE);
    }

    /** As {@link #fetchAdd(long, int, long, long, long, PostOptions)}, at the start of an advertised buffer. */
    public CompletableFuture<Completion> fetchAdd(RemoteBuffer target, long add, long mask, PostOptions options) {
        return future(
                listener -> poster.fetchAdd(0, target.stag(), target.taggedOffset(), add, mask, options, listener));
    }

    /** Replaces the 64-bit number at the start of an advertised buffer if it is as expected. */
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
        return future(listener -> poster.compareSwap(
                0,
                target.stag(),
                target.taggedOffset(),
                expected,
                expectedMask,
                replacement,
                replacementMask,
                options,
                listener));
    }

    /** As {@link #receive(long, ByteBuf)}; the future fails with {@link StreamEndedException} if it is flushed. */
    public CompletableFuture<Completion> receive(ByteBuf sink) {
        return future(listener -> poster.receive(0, sink, listener));
    }

    /** As {@link #receive(long, MemoryRegion, long, long)}, with a future. */
    public CompletableFuture<Completion> receive(MemoryRegion sink, long offset, long length) {
        return future(listener -> poster.receive(0, sink, offset, length, listener));
    }

    private static CompletableFuture<Completion> future(Consumer<CompletionListener> post) {
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
            throw new IllegalArgumentException(length + " octets do not fit into the " + target.length()
                    + " octets of the peer's buffer: write less, or ask for a larger one");
        }
    }

    /**
     * Sets who learns of completions of requests posted with an id, unless they go to a completion queue. Set it before the
     * first such post.
     */
    public QueuePair completionListener(CompletionListener listener) {
        engine.routes().listener(listener);
        return this;
    }

    /** As {@link #completionQueues}, with one queue for all. */
    public QueuePair completionQueue(CompletionQueue queue) {
        return completionQueues(queue, queue);
    }

    /**
     * Sets where the completions of requests posted with an id go, and reserves room for them: as much as the send queue and
     * the receive queue are deep. Set it before the first post, once.
     *
     * @param sends gets the completions of everything but receives
     * @param receives gets the completions of receives; may be the same
     * @throws ResourceLimitException if a queue has not enough room left; then nothing was changed
     * @throws IllegalStateException if something was posted already, queues were set before, or a queue was closed
     */
    public QueuePair completionQueues(CompletionQueue sends, CompletionQueue receives) {
        engine.completionQueues(sends, receives);
        return this;
    }

    /**
     * Takes the receives of this queue pair from a queue that others use as well, instead of having them posted here. Set it
     * before the connection is accepted or made, and before the completion queues.
     *
     * @throws IllegalStateException if it is too late for that, or the queue was closed
     */
    public QueuePair sharedReceiveQueue(SharedReceiveQueue queue) {
        engine.sharedReceiveQueue(queue);
        return this;
    }

    /** Sets who learns of the life of this queue pair. Set it before the connection is accepted or made. */
    public QueuePair listener(QueuePairListener listener) {
        engine.listener(listener);
        return this;
    }

    /** {@return where it is in its life; a moment's view} */
    public QueuePairState state() {
        return engine.state();
    }

    /** {@return why it closed, or null while it is open} */
    public @Nullable CloseReason closeReason() {
        return engine.closeReason();
    }

    /**
     * {@return what start-up agreed on and the peer's private data; null before that, and never once {@link #ready} has
     * completed with this queue pair}
     */
    public @Nullable MpaParameters parameters() {
        return engine.parameters();
    }

    /**
     * {@return the TLS session of the connection, with cipher suite and the peer's certificates; null without TLS, or
     * before there is a connection request or the start-up is over}
     */
    public @Nullable SSLSession tlsSession() {
        return engine.tlsSession();
    }

    /**
     * {@return who the peer has proven to be by its certificate; null without TLS, if TLS did not ask for a certificate, or
     * before there is a connection request or the start-up is over}
     */
    public @Nullable Principal peerPrincipal() {
        return QueuePairEngine.peerPrincipal(engine.tlsSession());
    }

    /** {@return a stage that completes on the event loop with this queue pair once requests flow, or with the failure} */
    public CompletionStage<QueuePair> ready() {
        return engine.ready().minimalCompletionStage();
    }

    /** {@return a stage that completes on the event loop when the stream is over and every request has completed} */
    public CompletionStage<CloseReason> closed() {
        return engine.closed().minimalCompletionStage();
    }

    /** {@return this stream's identity towards registered memory, for regions that only this peer may use} */
    public StreamAssociation stream() {
        return engine.stream();
    }

    /** {@return what crossed the wire so far; any thread may read it} */
    public Counters counters() {
        return engine.counters();
    }

    /** {@return where it stands, to be read by people; any thread may ask, in any state} */
    public QueuePairSnapshot snapshot() {
        return QueuePairSnapshot.of(engine);
    }

    /** {@return the channel it runs on} */
    public Channel channel() {
        return engine.channel();
    }

    /**
     * Ends the connection in order and returns at once: what was posted is sent, then this side's half is closed, then the
     * peer's close is awaited, at most the close timeout. New requests are refused. {@link #closed} tells when it is over.
     */
    @Override
    public void close() {
        engine.close();
    }

    /** Closes the connection at once; what was not sent is flushed. {@link #closed} tells when it is over. */
    public void abort() {
        engine.abort(new CloseReason(EndedBy.LOCAL_APPLICATION, null, "aborted by the application", null));
    }

    @Override
    public String toString() {
        return "QueuePair[" + engine.channel() + ", " + engine.state() + "]";
    }
}
