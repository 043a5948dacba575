package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.Role;
import io.iwarp.StreamEndedException;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.ResourceLimitException;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaParameters;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.security.Principal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * One end of an RDMA connection: work is posted here and completes here.
 *
 * <p>It has two queues. The {@link #sendQueue} takes Sends, Writes, Reads and atomics; the {@link #receiveQueue} takes
 * buffers for the peer's messages. Posts there carry a work-request id, allocate nothing, and complete at the
 * {@link #completionListener} or in a {@link CompletionQueue}: they are for code that moves millions of messages. The
 * same operations return a future in {@link #futures}; the plain form of each is a method of this class. A future
 * completes on the event loop, which must not wait for it; cancelling it does not cancel the request.
 *
 * <pre>{@code
 * RemoteBuffer memory = queuePair.remoteBuffers().get(0);     // what the peer advertised when it accepted
 *
 * queuePair.write(text, memory);                              // into the peer's memory
 * queuePair.read(back, memory.slice(0, 15)).thenAccept(read -> show(back));
 * queuePair.send(message)                                     // behind the Write: the peer finds the text in place
 *         .exceptionally(failure -> explain(failure));
 *
 * queuePair.closed().thenAccept(reason -> log(reason));       // every end of the connection, with its reason
 * }</pre>
 *
 * <p>Any thread may post. A post never blocks: it costs one queue offer, and what several threads posted leaves in one
 * flush.
 *
 * <p><b>Refused posts.</b> A post throws {@link QueueFullException} beyond the queue's depth or bytes, and
 * {@link IllegalArgumentException}, {@link IndexOutOfBoundsException} or {@link IllegalStateException} for what cannot be
 * meant; nothing was posted then, and no reference is held. On a queue pair that is {@linkplain ConnectionState#DRAINING
 * closing} or has ended, a post with an id throws {@link QueuePairClosedException}, and a post with a future returns one that
 * failed with {@link StreamEndedException}. Both exceptions name the reason.
 *
 * <p><b>Order.</b> Requests leave, and complete, in the order they were posted. Sends, Writes and Immediate Data also arrive
 * in that order: when the peer's application gets a Send, the bytes of all Writes posted before it are in place. Of Reads
 * and atomics, as many as the ORD allows are unanswered at a time; the next one waits, and what was posted after it waits
 * as well. A later Send or Write may be in place before an earlier Read was carried out, unless it is
 * {@linkplain PostOptions#FENCED fenced} (RFC 5040 section 5.5). Posts of several threads are ordered by who came first.
 * What a responder posts waits for the initiator's first message (RFC 5044 section 7.1.2), unless the set-up was
 * peer-to-peer.
 *
 * <p><b>Memory.</b> A post takes a reference of its own to the buffer or region and gives it back when the request
 * completes; the caller's reference stays the caller's. The bytes of a Send or Write must not change before its
 * completion, those of a receive or Read must not be used before it. Local memory needs no registration; the sink of a Read
 * must be a direct buffer, and is registered for the time of the Read if it is not a region.
 *
 * <p><b>End.</b> Each request completes exactly once: with success, or flushed with the first cause that ended the stream
 * (the same in every flushed completion; receives that are still posted at an orderly end are flushed as well). There is no
 * error of a single request: each ends the stream. {@link #close} ends in order, {@link #abort} at once. An error of the
 * peer ends the stream with a Terminate message; its meaning is in the {@link CloseReason}. Close a queue pair before its
 * event loop is shut down: a busy loop may end without closing its channels. Then the peer learns nothing, and requests
 * complete when the loop has terminated, on another thread.
 *
 * <p>Completions, and the calls of {@link QueuePairListener}, come on the event loop of the channel, except for completions
 * that wait in a {@link CompletionQueue}.
 */
public final class QueuePair implements AutoCloseable {
    private final Channel channel;
    private final Role role;
    private final StreamAssociation stream;
    private final Counters counters = new Counters();
    private final QueuePairEngine engine;
    private final SendQueue sendQueue;
    private final ReceiveQueue receiveQueue;
    private final FuturePosts futures;
    private final CompletableFuture<QueuePair> ready;
    private volatile QueuePairListener listener = QueuePairListener.NONE;

    QueuePair(
            Channel channel,
            ProtectionDomain domain,
            QueuePairSettings settings,
            Role role,
            SetupGate.@Nullable Ticket setupTicket) {
        this.channel = channel;
        this.role = role;
        this.stream = domain.openStream();
        this.engine = new QueuePairEngine(channel, stream, counters, settings, role, setupTicket, new Life());
        this.sendQueue = new SendQueue(engine.poster(), engine.routes());
        this.receiveQueue = new ReceiveQueue(engine.poster(), engine.routes());
        this.futures = new FuturePosts(engine.poster(), channel.eventLoop());
        this.ready = new LoopFuture<>(channel.eventLoop());
    }

    /** Tells the application of the life of the stream. */
    private final class Life implements LifeListener {
        @Override
        public void onReady() {
            Completer.tell(channel, () -> listener.onReady(QueuePair.this));
            ready.complete(QueuePair.this);
        }

        @Override
        public void onSetUpFailed(Exception why) {
            ready.completeExceptionally(why);
        }

        @Override
        public void onPeerClosedHalf() {
            Completer.tell(channel, () -> listener.onPeerClosedHalf(QueuePair.this));
        }

        @Override
        public void onClosed(CloseReason reason) {
            Completer.tell(channel, () -> listener.onClosed(QueuePair.this, reason));
            // Once the set-up has ended nobody would see the exception, whose stack trace is not free.
            if (!ready.isDone()) {
                ready.completeExceptionally(new StreamEndedException(reason));
            }
        }
    }

    QueuePairEngine engine() {
        return engine;
    }

    CompletionRoutes routes() {
        return engine.routes();
    }

    /** Returns where requests with a work-request id are posted, except receives. */
    public SendQueue sendQueue() {
        return sendQueue;
    }

    /** Returns where receives with a work-request id are posted. */
    public ReceiveQueue receiveQueue() {
        return receiveQueue;
    }

    /** Returns all operations, in the form that returns a future. */
    public FuturePosts futures() {
        return futures;
    }

    /** As {@link FuturePosts#send(ByteBuf, PostOptions)}, without options. */
    public CompletableFuture<Completion> send(ByteBuf message) {
        return futures.send(message, PostOptions.NONE);
    }

    /** As {@link FuturePosts#write(ByteBuf, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target) {
        return futures.write(source, target, PostOptions.NONE);
    }

    /** As {@link FuturePosts#read(ByteBuf, RemoteBuffer, PostOptions)}, without options. */
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source) {
        return futures.read(sink, source, PostOptions.NONE);
    }

    /** As {@link FuturePosts#fetchAdd}, with one field of 64 bits and without options. */
    public CompletableFuture<Completion> fetchAdd(RemoteBuffer target, long add) {
        return futures.fetchAdd(target, add, 0, PostOptions.NONE);
    }

    /** As {@link FuturePosts#compareSwap}, without options. */
    public CompletableFuture<Completion> compareSwap(RemoteBuffer target, CompareSwap numbers) {
        return futures.compareSwap(target, numbers, PostOptions.NONE);
    }

    /** As {@link FuturePosts#receive(ByteBuf)}. */
    public CompletableFuture<Completion> receive(ByteBuf sink) {
        return futures.receive(sink);
    }

    /**
     * Sets who learns of completions of requests posted with an id, unless they go to a completion queue. Set it before the
     * first such post, which throws {@link IllegalStateException} without one or the other. With
     * {@linkplain QueuePairSettings#managedReceiveBytes managed receives}, or a shared receive queue, set it before the
     * connection is accepted or made: a message that nobody would learn of ends the stream.
     */
    public QueuePair completionListener(CompletionListener listener) {
        routes().listener((completion, place) -> {
            // At first, so that the listener can post again at full depth.
            place.release();
            listener.onCompletion(this, completion);
        });
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
        CompletionPort.open(this, sends, receives);
        engine.flushAgainIfOver();
        return this;
    }

    /**
     * Takes the receives of this queue pair from a queue that others use as well, instead of having them posted here. Set it
     * before the connection is accepted or made, and before the completion queues.
     *
     * @throws IllegalStateException if it is too late for that, or the queue was closed
     */
    public QueuePair sharedReceiveQueue(SharedReceiveQueue queue) {
        engine.receives().share(queue.pool(), () -> queue.tell(this));
        engine.flushAgainIfOver();
        return this;
    }

    /** Sets who learns of the life of this queue pair. Set it before the connection is accepted or made. */
    public QueuePair listener(QueuePairListener newListener) {
        listener = newListener;
        return this;
    }

    /** Returns where it is in its life; a moment's view. */
    public ConnectionState state() {
        return engine.life().state();
    }

    /** Returns why it closed, or null while it is open. */
    public @Nullable CloseReason closeReason() {
        return engine.life().closeReason();
    }

    /**
     * Returns what start-up agreed on, and the peer's private data; null before that, not null from when {@link #ready}
     * has completed with this queue pair.
     */
    public @Nullable MpaParameters parameters() {
        return engine.life().parameters();
    }

    /**
     * Returns the memory that the peer advertised in its private data, in the encoding of {@link RemoteBuffer}, as
     * {@link ConnectionRequest#accept(RemoteBuffer, RemoteBuffer...)} does; empty if it sent none.
     *
     * @throws IllegalStateException if the set-up is not over
     * @throws IllegalArgumentException if the peer's private data is something else; see {@link #parameters}
     */
    public List<RemoteBuffer> remoteBuffers() {
        MpaParameters agreed = parameters();
        if (agreed == null) {
            throw new IllegalStateException(
                    "the peer's private data has not come: ask when the connection is made, as ready() or connect tell");
        }
        return RemoteBuffer.decodeAll(agreed.peerPrivateData());
    }

    /**
     * Returns the TLS session of the connection, with cipher suite and the peer's certificates; null without TLS, or
     * before there is a connection request or the start-up is over.
     */
    public @Nullable SSLSession tlsSession() {
        return engine.life().tlsSession();
    }

    /**
     * Returns who the peer has proven to be by its certificate; null without TLS, if TLS did not ask for a certificate,
     * or before there is a connection request or the start-up is over.
     */
    public @Nullable Principal peerPrincipal() {
        SSLSession session = tlsSession();
        try {
            return session == null ? null : session.getPeerPrincipal();
        } catch (SSLPeerUnverifiedException unproven) {
            return null;
        }
    }

    /**
     * Returns a stage that completes on the event loop with this queue pair once requests of this side flow, or with
     * the failure. At a responder that is when the initiator's first message has come, not when the connection was
     * accepted; an initiator that says nothing keeps it waiting. The failure is an
     * {@link io.iwarp.ConnectionRejectedException} or a {@link StreamEndedException}.
     */
    public CompletionStage<QueuePair> ready() {
        return ready.minimalCompletionStage();
    }

    /**
     * Returns a stage that completes on the event loop when the stream is over and every request has completed. The
     * stream has left its protection domain by then: what is chained here, without {@code Async}, may close regions of
     * it.
     */
    public CompletionStage<CloseReason> closed() {
        return engine.life().closed().stage();
    }

    /** Returns this stream's identity towards registered memory, for regions that only this peer may use. */
    public StreamAssociation stream() {
        return stream;
    }

    /** Returns what crossed the wire so far; any thread may read it. */
    public Counters counters() {
        return counters;
    }

    /** Returns where it stands, to be read by people; any thread may ask, in any state. */
    public QueuePairSnapshot snapshot() {
        return QueuePairSnapshot.of(
                channel,
                role,
                engine.life(),
                engine.sends().ring(),
                engine.receives().receives().bound(),
                counters);
    }

    /** Returns the channel it runs on. */
    public Channel channel() {
        return channel;
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
        return "QueuePair[" + channel + ", " + engine.life().state() + "]";
    }
}
