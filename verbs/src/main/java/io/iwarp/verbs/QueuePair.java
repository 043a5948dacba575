package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionState;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.IwarpException;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionBuilder;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.ResourceLimitException;
import io.iwarp.memory.WindowBuilder;
import io.iwarp.mpa.MpaParameters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.security.Principal;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * One end of an RDMA connection. Applications post work requests to it and get their completions.
 *
 * <p>It has two queues. The {@link #sendQueue} takes Sends, Writes, Reads and atomics; the {@link #receiveQueue} takes
 * buffers for the peer's messages. Posts to these queues carry a work-request id, allocate nothing, and complete at the
 * {@link #setCompletionListener} or in a {@link CompletionQueue}. Use them in code that moves millions of messages. The
 * methods of this class are the same operations with a future as the result. It completes with the {@link Completion},
 * on the event loop, which must not wait for it: {@code get} and {@code join} throw
 * {@link io.netty.util.concurrent.BlockingOperationException} there, also on a future that {@code thenApply} and the
 * like derived from it. A wait for {@code CompletableFuture.allOf(...)}, {@code anyOf(...)} or a future of your own is
 * not checked, and blocks the event loop.
 *
 * <pre>{@code
 * RemoteBuffer memory = queuePair.remoteBuffers().get(0);     // what the peer advertised when it accepted
 *
 * queuePair.write(text, memory);                              // into the peer's memory
 * queuePair.read(back, memory.slice(0, 15)).thenAccept(read -> show(back));
 * queuePair.send(message)                                     // after the Write: the peer finds the text in place
 *         .exceptionally(failure -> explain(failure));
 *
 * queuePair.closed().thenAccept(reason -> log(reason));       // every end of the connection, with its reason
 * }</pre>
 *
 * <p>Any thread may post. A post costs one queue offer. The posts of several threads share one flush.
 *
 * <p><b>Refused posts.</b> A refused post has no effect and holds no reference. The rules of failures:
 *
 * <ul>
 *   <li>A wrong argument or call throws at once, in each form: {@link NullPointerException},
 *       {@link IllegalArgumentException}, {@link IndexOutOfBoundsException}, {@link IllegalStateException} or
 *       {@link UnsupportedOperationException}.
 *   <li>A failure that a correct program must expect is an {@link IwarpException}: a {@link QueueFullException} if the
 *       post exceeds the queue's depth or what is left of its byte limit, a {@link ConnectionClosedException} if the
 *       queue pair is {@linkplain ConnectionState#DRAINING closing} or has ended, a
 *       {@link io.iwarp.memory.RegionClosedException} if its memory was closed or invalidated, a
 *       {@link ResourceLimitException} if the sink of a Read cannot be registered. A future fails with it, and a post
 *       with an id throws it.
 * </ul>
 *
 * <p><b>Room.</b> No post waits for room, whatever its thread. Beyond {@link QueuePairSettings#sendQueueDepth} a post
 * with a future is pending: it is posted in its order when earlier requests have completed. A loop that posts thousands
 * of small Writes and awaits the last one works. {@link QueuePairSettings#maxPendingPosts} and
 * {@link QueuePairSettings#maxPendingBytes} limit what is pending. A post with an id is refused as soon as the depth is
 * used, or a future is pending. {@link SendQueue#room}, {@link SendQueue#readRoom} and {@link SendQueue#whenRoom} say
 * when there is room.
 *
 * <p><b>Cancellation.</b> The future of a request may be cancelled, or completed otherwise, for example by
 * {@code orTimeout}; a future that is derived from it has no effect. A request that has not begun is then not sent, and
 * the event loop releases its memory. A request begins when the protocol takes it from the send queue. One that has
 * begun continues: a Send or Write is sent, an atomic is executed, and both use their memory until the end. The
 * response to a cancelled Read is discarded: once {@code cancel} has returned, no byte of its sink changes. A receive
 * takes no message once it is cancelled; a message that was arriving in it moves to the next receive, or ends the
 * stream if there is none that is long enough.
 *
 * <p><b>Order.</b> Requests leave, and complete, in the order they were posted. Sends, Writes and Immediate Data also
 * arrive in that order: when the peer's application gets a Send, the bytes of all Writes posted before it are in place.
 * They are in place as well when a Read or atomic posted after them completes; {@link #placed()} is such a Read. The
 * ORD limits the number of outstanding Reads and atomics. The next one waits, and all later requests wait as well. A
 * later Send or Write may be in place before an earlier Read is executed, unless it is {@linkplain PostOptions#FENCE
 * fenced} (RFC 5040 section 5.5). Posts of several threads are ordered by arrival. The requests of a responder wait for
 * the initiator's first message (RFC 5044 section 7.1.2), unless the set-up was peer-to-peer.
 *
 * <p><b>Memory.</b> A post retains the buffer or region and releases it when the request completes; the caller keeps
 * its own reference. The application must not change the bytes of a Send or Write before its completion. Peers may
 * change them only if they were posted as a part of the region that the peers access: such bytes are copied when they
 * are sent, while other large payloads are sent by reference. The bytes of a receive or Read must not be used before
 * its completion. Local memory needs no registration; the sink of a Read must be a direct buffer, and is registered for
 * the time of the Read if it is not a region.
 *
 * <p><b>End.</b> Each request completes exactly once: it succeeds, or it is flushed with the first cause that ended the
 * stream. All flushed completions have the same cause. Receives that are still posted at an orderly end are flushed as
 * well. Every error of a request ends the stream. {@link #close} ends the stream gracefully, {@link #abort} at once. An
 * error of the peer ends the stream with a Terminate message; the {@link CloseReason} explains it. An event loop that
 * is shut down closes its connections at once: close a queue pair before, so that posted requests are sent.
 *
 * <p>Completions and the calls of {@link QueuePairListener} are delivered on the event loop of the channel, except for
 * completions that wait in a {@link CompletionQueue}.
 */
public final class QueuePair implements AutoCloseable {
    private static final String COMPLETIONS = "completions";

    private final Channel channel;
    private final Role role;
    private final StreamAssociation stream;
    private final ConnectionCounters counters = new ConnectionCounters();
    private final QueuePairEngine engine;
    private final PostedRequests requests;
    private final RequestPoster poster;
    private final SendQueue sendQueue;
    private final ReceiveQueue receiveQueue;
    /** Each caller gets a copy, so that no caller can complete it for the others. */
    private final CompletableFuture<QueuePair> readyFuture;

    private volatile QueuePairListener listener = QueuePairListener.NONE;
    private volatile @Nullable Object attachment;
    /** Why the targets of completions cannot be replaced; null if they can. */
    private volatile @Nullable String targetLockReason;

    QueuePair(
            Channel channel,
            ProtectionDomain domain,
            QueuePairSettings settings,
            Role role,
            SetupGate.@Nullable Ticket setupTicket) {
        this.channel = channel;
        this.role = role;
        this.stream = StreamAssociation.open(domain);
        try {
            this.engine =
                    new QueuePairEngine(channel, stream, counters, settings, role, setupTicket, new EngineEvents());
        } catch (Throwable e) {
            stream.close();
            throw e;
        }
        this.requests = engine.requests();
        this.poster = engine.poster();
        this.sendQueue = new SendQueue(requests, poster, null);
        this.receiveQueue = new ReceiveQueue(engine.receiveSide());
        this.readyFuture = new LoopFuture<>(channel.eventLoop());
    }

    /** Reports the stream's state changes to the application. */
    private final class EngineEvents implements EngineListener {
        @Override
        public void onReady() {
            Callbacks.notify(channel, () -> listener.onReady(QueuePair.this));
            readyFuture.complete(QueuePair.this);
        }

        @Override
        public void onSetupFailed(Exception why) {
            readyFuture.completeExceptionally(why);
        }

        @Override
        public void onInputShutdown() {
            Callbacks.notify(channel, () -> listener.onInputShutdown(QueuePair.this));
        }

        @Override
        public void onClosed(CloseReason reason) {
            Callbacks.notify(channel, () -> listener.onClosed(QueuePair.this, reason));
            // Avoid the cost of a stack trace that is not used once the set-up has ended.
            if (!readyFuture.isDone()) {
                readyFuture.completeExceptionally(new ConnectionClosedException(reason));
            }
        }
    }

    QueuePairEngine engine() {
        return engine;
    }

    /** Returns the queue for requests with a work-request id, except receives. */
    public SendQueue sendQueue() {
        return sendQueue;
    }

    /**
     * Returns another view of the send queue, with its own listener: completions of requests that are posted through
     * the returned object go to this listener, on the event loop, whatever {@link #setCompletionListener} or
     * {@link #setCompletionQueues} say. All requests share one queue and one order. Keep the object for further posts,
     * which allocate nothing.
     *
     * @param listener gets the completions, flushed ones included
     */
    public SendQueue sendQueueFor(CompletionListener listener) {
        return new SendQueue(requests, poster, target(COMPLETIONS, listener));
    }

    /** Returns the queue for receives with a work-request id. */
    public ReceiveQueue receiveQueue() {
        return receiveQueue;
    }

    /** Posts a Send without options; see {@link #send(ByteBuf, PostOptions)}. */
    public CompletableFuture<Completion> send(ByteBuf message) {
        return send(message, PostOptions.NONE);
    }

    /**
     * Posts a Send; see {@link SendQueue#send(long, ByteBuf, PostOptions)}.
     *
     * @return completes when the bytes were handed to the transport, which does not say that the peer has them; see
     *     {@link #placed}
     */
    public CompletableFuture<Completion> send(ByteBuf message, PostOptions options) {
        return post(future -> poster.send(0, message, options, future));
    }

    /** Posts a Send of a piece of a region; see {@link #send(ByteBuf)}. */
    public CompletableFuture<Completion> send(LocalBuffer message) {
        return send(message, PostOptions.NONE);
    }

    /** Posts a Send of a piece of a region; see {@link #send(ByteBuf, PostOptions)}. */
    public CompletableFuture<Completion> send(LocalBuffer message, PostOptions options) {
        return post(future -> poster.send(0, message, options, future));
    }

    /**
     * Posts a Send with Invalidate without options; see {@link #sendWithInvalidate(ByteBuf, RemoteBuffer,
     * PostOptions)}.
     */
    public CompletableFuture<Completion> sendWithInvalidate(ByteBuf message, RemoteBuffer invalidated) {
        return sendWithInvalidate(message, invalidated, PostOptions.NONE);
    }

    /**
     * Posts a Send with Invalidate; see {@link SendQueue#sendWithInvalidate(long, ByteBuf, RemoteBuffer, PostOptions)}.
     */
    public CompletableFuture<Completion> sendWithInvalidate(
            ByteBuf message, RemoteBuffer invalidated, PostOptions options) {
        return post(future -> poster.sendWithInvalidate(0, message, invalidated, options, future));
    }

    /** Posts a Send with Invalidate of a piece of a region; see {@link #sendWithInvalidate(ByteBuf, RemoteBuffer)}. */
    public CompletableFuture<Completion> sendWithInvalidate(LocalBuffer message, RemoteBuffer invalidated) {
        return sendWithInvalidate(message, invalidated, PostOptions.NONE);
    }

    /**
     * Posts a Send with Invalidate of a piece of a region; see {@link #sendWithInvalidate(ByteBuf, RemoteBuffer,
     * PostOptions)}.
     */
    public CompletableFuture<Completion> sendWithInvalidate(
            LocalBuffer message, RemoteBuffer invalidated, PostOptions options) {
        return post(future -> poster.sendWithInvalidate(0, message, invalidated, options, future));
    }

    /** Posts an RDMA Write without options; see {@link #write(ByteBuf, RemoteBuffer, PostOptions)}. */
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target) {
        return write(source, target, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Write; see {@link SendQueue#write(long, ByteBuf, RemoteBuffer, PostOptions)}.
     *
     * @return completes when the bytes were handed to the transport, which does not say that the peer has them; see
     *     {@link #placed}
     */
    public CompletableFuture<Completion> write(ByteBuf source, RemoteBuffer target, PostOptions options) {
        return post(future -> poster.write(0, source, target, options, future));
    }

    /**
     * Posts an RDMA Write of a piece of a region without options; see {@link #write(LocalBuffer, RemoteBuffer,
     * PostOptions)}.
     */
    public CompletableFuture<Completion> write(LocalBuffer source, RemoteBuffer target) {
        return write(source, target, PostOptions.NONE);
    }

    /** Posts an RDMA Write of a piece of a region; see {@link #write(ByteBuf, RemoteBuffer, PostOptions)}. */
    public CompletableFuture<Completion> write(LocalBuffer source, RemoteBuffer target, PostOptions options) {
        return post(future -> poster.write(0, source, target, options, future));
    }

    /**
     * Posts an RDMA Write with Immediate Data without options; see {@link #writeWithImmediate(ByteBuf, RemoteBuffer,
     * ImmediateData, PostOptions)}.
     */
    public CompletableFuture<Completion> writeWithImmediate(ByteBuf source, RemoteBuffer target, ImmediateData data) {
        return writeWithImmediate(source, target, data, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Write with Immediate Data of a piece of a region without options; see
     * {@link #writeWithImmediate(LocalBuffer, RemoteBuffer, ImmediateData, PostOptions)}.
     */
    public CompletableFuture<Completion> writeWithImmediate(
            LocalBuffer source, RemoteBuffer target, ImmediateData data) {
        return writeWithImmediate(source, target, data, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Write with Immediate Data; see {@link SendQueue#writeWithImmediate(long, ByteBuf, RemoteBuffer,
     * ImmediateData, PostOptions)}.
     */
    public CompletableFuture<Completion> writeWithImmediate(
            ByteBuf source, RemoteBuffer target, ImmediateData data, PostOptions options) {
        return post(future -> poster.writeWithImmediate(0, source, target, data, options, future));
    }

    /**
     * Posts an RDMA Write with Immediate Data of a piece of a region; see {@link #writeWithImmediate(ByteBuf,
     * RemoteBuffer, ImmediateData, PostOptions)}.
     */
    public CompletableFuture<Completion> writeWithImmediate(
            LocalBuffer source, RemoteBuffer target, ImmediateData data, PostOptions options) {
        return post(future -> poster.writeWithImmediate(0, source, target, data, options, future));
    }

    /** Posts Immediate Data without options; see {@link #sendImmediate(ImmediateData, PostOptions)}. */
    public CompletableFuture<Completion> sendImmediate(ImmediateData data) {
        return sendImmediate(data, PostOptions.NONE);
    }

    /** Posts Immediate Data; see {@link SendQueue#sendImmediate(long, ImmediateData, PostOptions)}. */
    public CompletableFuture<Completion> sendImmediate(ImmediateData data, PostOptions options) {
        return post(future -> poster.sendImmediate(0, data, options, future));
    }

    /** Posts an RDMA Read without options; see {@link #read(ByteBuf, RemoteBuffer, PostOptions)}. */
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source) {
        return read(sink, source, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Read; see {@link SendQueue#read(long, ByteBuf, RemoteBuffer, PostOptions)}.
     *
     * @return completes when the bytes are in place
     */
    public CompletableFuture<Completion> read(ByteBuf sink, RemoteBuffer source, PostOptions options) {
        return post(future -> poster.read(0, sink, source, options, future));
    }

    /**
     * Posts an RDMA Read into a piece of a region without options; see {@link #read(LocalBuffer, RemoteBuffer,
     * PostOptions)}.
     */
    public CompletableFuture<Completion> read(LocalBuffer sink, RemoteBuffer source) {
        return read(sink, source, PostOptions.NONE);
    }

    /**
     * Posts an RDMA Read; see {@link SendQueue#read(long, LocalBuffer, RemoteBuffer, PostOptions)}.
     *
     * @return completes when the bytes are in place
     */
    public CompletableFuture<Completion> read(LocalBuffer sink, RemoteBuffer source, PostOptions options) {
        return post(future -> poster.read(0, sink, source, options, future));
    }

    /**
     * Posts a FetchAdd with one field of 64 bits and without options; see {@link #fetchAdd(RemoteBuffer, FetchAdd,
     * PostOptions)}.
     */
    public CompletableFuture<Long> fetchAdd(RemoteBuffer target, long add) {
        return post(
                CompletionView::originalValue, future -> poster.fetchAdd(0, target, add, 0, PostOptions.NONE, future));
    }

    /**
     * Posts a FetchAdd; see {@link SendQueue#fetchAdd}.
     *
     * @return completes with the previous number
     */
    public CompletableFuture<Long> fetchAdd(RemoteBuffer target, FetchAdd numbers, PostOptions options) {
        return post(CompletionView::originalValue, future -> poster.fetchAdd(0, target, numbers, options, future));
    }

    /**
     * Posts a CmpSwap of all bits and without options; see {@link #compareSwap(RemoteBuffer, CompareSwap,
     * PostOptions)}.
     *
     * @param expected the number is replaced if it is this one
     * @return completes with the previous number, which is {@code expected} if it was replaced
     */
    public CompletableFuture<Long> compareSwap(RemoteBuffer target, long expected, long replacement) {
        return compareSwap(target, CompareSwap.compare(expected).swap(replacement), PostOptions.NONE);
    }

    /**
     * Posts a CmpSwap; see {@link SendQueue#compareSwap}.
     *
     * @return completes with the previous number
     */
    public CompletableFuture<Long> compareSwap(RemoteBuffer target, CompareSwap numbers, PostOptions options) {
        return post(CompletionView::originalValue, future -> poster.compareSwap(0, target, numbers, options, future));
    }

    /**
     * Posts a receive; see {@link ReceiveQueue#receive(long, ByteBuf)}.
     *
     * @return completes when a message has arrived; also fails if the stream is closed before that
     */
    public CompletableFuture<Completion> receive(ByteBuf sink) {
        return post(future -> engine.receiveSide().receive(0, sink, future));
    }

    /** Posts a receive into a piece of a region; see {@link #receive(ByteBuf)}. */
    public CompletableFuture<Completion> receive(LocalBuffer sink) {
        return post(future -> engine.receiveSide().receive(0, sink, future));
    }

    /**
     * Takes the next message of the peer, with {@linkplain QueuePairSettings#managedReceiveBytes managed receives} and
     * without a listener or completion queue for them. Messages that were not taken wait in the receive queue. When it
     * is full, the connection is not read until one is taken. This stops the peer (back pressure), including its
     * responses to Reads.
     *
     * <p>Messages that wait also count to {@link io.iwarp.memory.IwarpDevice#maxManagedReceiveBytes}. While that is
     * used up, a connection with a message that waits is not read.
     *
     * <p>A future that is cancelled takes no message. Messages that arrived before the end are delivered first. Take
     * all, or {@link #close} or {@link #abort} the queue pair, which releases them.
     *
     * @return completes on the event loop with the message, whose bytes the application releases; or fails with
     *     {@link ConnectionClosedException}
     * @throws IllegalStateException if messages go elsewhere, or receives are not managed
     */
    public CompletableFuture<Message> nextMessage() {
        return engine.messages().next();
    }

    /**
     * Returns a future that completes when everything that was posted before is in the peer's memory, as
     * {@link SendQueue#placed} does. A Write that was refused, for example with {@link QueueFullException}, was not
     * posted: check its future as well.
     */
    public CompletableFuture<Completion> placed() {
        return post(future -> poster.placed(0, future));
    }

    private CompletableFuture<Completion> post(Consumer<CompletionTarget> post) {
        return post(CompletionView::copy, post);
    }

    private <T> CompletableFuture<T> post(Function<CompletionView, T> result, Consumer<CompletionTarget> post) {
        LoopFuture<T> future = new LoopFuture<>(channel.eventLoop(), result);
        try {
            post.accept(future);
        } catch (IwarpException refused) {
            future.completeExceptionally(refused);
        }
        return future;
    }

    /**
     * Sets the listener for completions of requests posted with an id. Set it before the first such post: a post throws
     * {@link IllegalStateException} if neither is set. With {@linkplain QueuePairSettings#managedReceiveBytes managed
     * receives} or a shared receive queue, set it before the connection is accepted or made: a message that cannot be
     * reported ends the stream.
     *
     * @throws IllegalStateException if completion queues were set, which get all completions
     */
    public QueuePair setCompletionListener(CompletionListener listener) {
        requireFreeTargets();
        CompletionTarget target = target(COMPLETIONS, listener);
        requests.setTarget(target);
        engine.receiveSide().setTarget(target);
        return this;
    }

    /** Sets the listener for received messages. Other completions then have no target unless the post has one. */
    void messageListener(MessageListener listener) {
        targetLockReason =
                "the messages of this queue pair go to its listener for messages: use the posts that return a"
                        + " future, or sendQueueFor(listener)";
        engine.receiveSide().setTarget(target("messages", (same, completion) -> {
            Message message = new Message(completion);
            try {
                if (completion.successful()) {
                    listener.onMessage(this, message);
                }
            } finally {
                message.bytes().release();
            }
        }));
        closed().thenAccept(reason -> Callbacks.notify(channel, () -> listener.onClosed(this, reason)));
    }

    /** Sets the ports that get all completions. They cannot be replaced. */
    void completeIn(CompletionPort sends, CompletionPort receives) {
        targetLockReason = "the queue pair has its completion queues already";
        requests.setTarget(sends);
        engine.receiveSide().setTarget(receives);
    }

    /** Checks that the targets of completions may be replaced. */
    void requireFreeTargets() {
        String inUse = targetLockReason;
        if (inUse != null) {
            throw new IllegalStateException(inUse);
        }
    }

    /**
     * Returns the target that calls a listener. An exception of the listener ends the stream, since the completion is
     * lost.
     */
    private CompletionTarget target(String what, CompletionListener listener) {
        Objects.requireNonNull(listener, "listener");
        return (completion, slots) -> {
            // Release first, so that the listener can post again at full depth.
            slots.release();
            try {
                listener.onCompletion(this, completion);
            } catch (Throwable thrown) {
                engine.endAfterListenerFailure(what, thrown);
            }
        };
    }

    /** Sets one queue for all completions; see {@link #setCompletionQueues}. */
    public QueuePair setCompletionQueue(CompletionQueue queue) {
        return setCompletionQueues(queue, queue);
    }

    /**
     * Sets the queues for completions of requests posted with an id, and reserves room in them: the depths of the send
     * queue and of the receive queue. Set them once, before the first post.
     *
     * @param sends gets the completions of everything but receives
     * @param receives gets the completions of receives; may be the same
     * @throws ResourceLimitException if a queue does not have enough room left; nothing is changed then
     * @throws IllegalStateException if something was posted already, queues were set before, or a queue was closed
     */
    public QueuePair setCompletionQueues(CompletionQueue sends, CompletionQueue receives) {
        CompletionPort.open(this, sends, receives);
        engine.flushAgainIfEnded();
        return this;
    }

    /**
     * Takes the receives of this queue pair from a shared queue instead of its own receive queue. Set it before the
     * connection is accepted or made, and before the completion queues.
     *
     * @throws IllegalStateException if it is too late for that, the settings have a {@code receiveQueueDepth}, or the
     *     queue was closed
     */
    public QueuePair setSharedReceiveQueue(SharedReceiveQueue queue) {
        if (requests.target() instanceof CompletionPort) {
            throw new IllegalStateException(
                    "set the shared receive queue before the completion queues: it says how much room is needed there");
        }
        engine.receiveSide().share(parameters() != null, queue.pool(), () -> queue.notifyLimit(this));
        engine.flushAgainIfEnded();
        return this;
    }

    /** Sets the listener for state changes of this queue pair. Set it before the connection is accepted or made. */
    public QueuePair setListener(QueuePairListener newListener) {
        listener = Objects.requireNonNull(newListener, "listener");
        return this;
    }

    /** Returns the current state. It may change at any time. */
    public ConnectionState state() {
        return engine.state();
    }

    /** Returns the reason of the close; null while the queue pair is open. It is set before requests fail with it. */
    public @Nullable CloseReason closeReason() {
        return engine.closeReason();
    }

    /**
     * Returns the parameters that were negotiated at start-up, and the peer's private data. Null before that; not null
     * once {@link #ready} has completed with this queue pair.
     */
    public @Nullable MpaParameters parameters() {
        return engine.parameters();
    }

    /**
     * Returns the memory that the peer advertised in its private data, in the encoding of {@link RemoteBuffer}, as
     * {@link ConnectionRequest#accept(RemoteBuffer, RemoteBuffer...)} does; empty if it sent none.
     *
     * @throws IllegalStateException if the set-up is not complete
     * @throws IllegalArgumentException if the peer's private data has another format; see {@link #parameters}
     */
    public List<RemoteBuffer> remoteBuffers() {
        MpaParameters agreed = parameters();
        if (agreed == null) {
            throw new IllegalStateException(
                    "the peer's private data has not arrived: wait for ready() or the future of connect");
        }
        return RemoteBuffer.decodeAll(agreed.peerPrivateData());
    }

    /**
     * Returns the first buffer of {@link #remoteBuffers}.
     *
     * @throws IllegalStateException if the set-up is not complete, or the peer advertised no memory
     * @throws IllegalArgumentException if the peer's private data has another format; see {@link #parameters}
     */
    public RemoteBuffer remoteBuffer() {
        List<RemoteBuffer> advertised = remoteBuffers();
        if (advertised.isEmpty()) {
            throw new IllegalStateException("the peer advertised no memory: it has to accept with a region");
        }
        return advertised.get(0);
    }

    /**
     * Returns a builder for a region of this queue pair's protection domain that its peer alone may access. Its
     * registration ends with the queue pair; the caller owns the memory until it closes the region.
     */
    public RegionBuilder region() {
        return stream.region();
    }

    /**
     * Registers new memory that only the peer of this queue pair may access; see {@link ProtectionDomain#allocate} and
     * {@link #region}.
     */
    public MemoryRegion allocate(long length, AccessRight... rights) {
        return region().allocate(ByteBufAllocator.DEFAULT, length)
                .rights(rights)
                .register();
    }

    /**
     * Returns a builder for a window that only the peer of this queue pair may access and invalidate; see
     * {@link MemoryRegion#window}. It is invalidated when the queue pair ends.
     *
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws IllegalArgumentException if the region belongs to another domain, or to another queue pair alone
     */
    public WindowBuilder window(MemoryRegion region, long offset, long length) {
        return stream.window(region, offset, length);
    }

    /**
     * Returns the TLS session of the connection, with cipher suite and the peer's certificates; null without TLS, or
     * before a connection request has arrived or start-up has completed.
     */
    public @Nullable SSLSession tlsSession() {
        return engine.tlsSession();
    }

    /**
     * Returns the peer's identity as verified by its certificate; null without TLS, if TLS did not request a
     * certificate, or before a connection request has arrived or start-up has completed.
     */
    public @Nullable Principal peerPrincipal() {
        return principalOf(tlsSession());
    }

    static @Nullable Principal principalOf(@Nullable SSLSession session) {
        try {
            return session == null ? null : session.getPeerPrincipal();
        } catch (SSLPeerUnverifiedException unproven) {
            return null;
        }
    }

    /**
     * Returns a future that completes on the event loop with this queue pair once this side may send requests, or
     * fails. At a responder it completes when the initiator's first message has arrived, not when the connection is
     * accepted; a silent initiator keeps it waiting. The failure is a {@link io.iwarp.ConnectionRejectedException} or a
     * {@link ConnectionClosedException}.
     */
    public CompletableFuture<QueuePair> ready() {
        return readyFuture.copy();
    }

    /** Runs an action when {@link #ready} completes. The failure is not wrapped in a CompletionException. */
    void whenReady(BiConsumer<? super QueuePair, ? super Throwable> action) {
        readyFuture.whenComplete(action);
    }

    /**
     * Returns a future that completes on the event loop when the stream has ended and every request has completed. The
     * stream has left its protection domain by then: dependent actions without {@code Async} may close regions of the
     * domain.
     */
    public CompletableFuture<CloseReason> closed() {
        return engine.closeFutures().newFuture();
    }

    /** Returns the identity of this stream in its protection domain. */
    StreamAssociation stream() {
        return stream;
    }

    /** Returns the counters, which the layers of this stream write. */
    ConnectionCounters connectionCounters() {
        return counters;
    }

    /** Returns the counters of this stream's traffic. Any thread may read them. */
    public Counters counters() {
        return counters;
    }

    /** Returns a snapshot for troubleshooting. Any thread may call this, in any state. */
    public QueuePairSnapshot snapshot() {
        return QueuePairSnapshot.of(channel, role, engine, counters);
    }

    /** Sets an object of the application that belongs to this queue pair, or null. Any thread may call this. */
    public void attach(@Nullable Object newAttachment) {
        attachment = newAttachment;
    }

    /** Returns the object that the application has {@linkplain #attach attached}, or null. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** Returns the domain of the memory that the peer may access. */
    public ProtectionDomain protectionDomain() {
        return stream.protectionDomain();
    }

    /** Returns the address of the peer; null before the connection is made, and if the transport has no addresses. */
    public @Nullable SocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    /** Returns the address of this side; null as {@link #remoteAddress} is. */
    public @Nullable SocketAddress localAddress() {
        return channel.localAddress();
    }

    /** Returns the event loop of the connection, on which listeners are called and futures complete. */
    public EventLoop executor() {
        return channel.eventLoop();
    }

    /** Returns the channel of this queue pair. */
    public Channel channel() {
        return channel;
    }

    /**
     * Starts an orderly close and returns at once. Posted requests are sent, then this side's half is closed, then the
     * peer's close is awaited for at most the close timeout. New requests are refused. {@link #closed} completes when
     * the stream has ended.
     */
    @Override
    public void close() {
        engine.close();
    }

    /**
     * Same as {@link #close}.
     *
     * @return as {@link #closed}
     */
    public CompletableFuture<CloseReason> closeGracefully() {
        CompletableFuture<CloseReason> closed = closed();
        close();
        return closed;
    }

    /**
     * Closes the connection at once; requests that were not sent are flushed. {@link #closed} completes when the stream
     * has ended.
     */
    public void abort() {
        engine.abort(CloseReason.of(EndedBy.LOCAL_APPLICATION, "aborted by the application"));
    }

    @Override
    public String toString() {
        return "QueuePair[" + channel + ", " + engine.state() + "]";
    }
}
