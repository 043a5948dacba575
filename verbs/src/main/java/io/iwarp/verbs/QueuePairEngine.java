package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.Role;
import io.iwarp.StreamEndedException;
import io.iwarp.ddp.DdpHandler;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.mpa.EnhancedSetup;
import io.iwarp.mpa.MpaEvent;
import io.iwarp.mpa.MpaFramingHandler;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.MpaStartupHandler;
import io.iwarp.rdmap.RdmapHandler;
import io.iwarp.rdmap.RdmapRequest;
import io.iwarp.rdmap.RdmapUlp;
import io.iwarp.transport.TransportHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import java.lang.invoke.VarHandle;
import java.security.Principal;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What moves a {@link QueuePair}: takes posts to the event loop, and completions back.
 *
 * <p>Threads: {@code claim...} and {@code publish} are called by any thread; {@link RdmapUlp} methods and everything they
 * lead to by the event loop, which takes what was posted as {@link DrainSchedule} says.
 *
 * <p>No request is lost at the end: whoever publishes after the stream has ended sees the close reason and wakes the event
 * loop once more, which flushes again. When the loop itself has ended, a listener of its termination flushes, see
 * {@link DrainSchedule} and {@link LoopTermination}.
 */
final class QueuePairEngine implements RdmapUlp {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private static final CloseReason CLOSED_HERE =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "closed by the application", null);
    private static final CloseReason CLOSED_BY_PEER =
            new CloseReason(EndedBy.PEER_CLOSED, null, "the peer closed the connection", null);

    private static final CloseReason LOOP_IS_GONE =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "the event loop of the connection was shut down", null);

    private final QueuePair queuePair;
    private final Channel channel;
    private final EventLoop eventLoop;
    private final QueuePairSettings settings;
    private final Role role;
    private final StreamAssociation stream;
    private final Counters counters = new Counters();
    private final SendQueue sendQueue;
    private volatile Receives receives;
    private final ReceiveWait receiveWait;
    private final CompletionRoutes routes;
    private final RdmapHandler rdmap;
    private final @Nullable QueuePairMetrics metrics;
    private final @Nullable OctetBudget budget;
    private final SetupGate.@Nullable Ticket setupTicket;
    private final CompletableFuture<QueuePair> ready = new CompletableFuture<>();
    private final ClosedStages closed = new ClosedStages();
    private final DrainSchedule drains;
    private final Runnable loopTerminated = this::drainAfterLoop;
    private final @Nullable QuietWatches watches;

    /** Never DRAINING: that is what it is until the end once there is a reason in {@link #closing}. */
    private volatile QueuePairState state = QueuePairState.INIT;

    /** Why the orderly close began that is under way; null before it. */
    private final AtomicReference<@Nullable CloseReason> closing = new AtomicReference<>();

    /** Event loop: the reason of an orderly close that waits until everything posted before it was taken. */
    private @Nullable CloseReason orderlyClose;

    private volatile @Nullable CloseReason closeReason;
    private volatile @Nullable MpaParameters parameters;
    private volatile @Nullable SSLSession tlsSession;
    private volatile QueuePairListener listener = QueuePairListener.NONE;
    private volatile boolean enhancedSetupRefused;

    QueuePairEngine(
            QueuePair queuePair,
            Channel channel,
            ProtectionDomain domain,
            QueuePairSettings settings,
            Role role,
            SetupGate.@Nullable Ticket setupTicket) {
        this.queuePair = queuePair;
        this.channel = channel;
        this.eventLoop = channel.eventLoop();
        this.drains = new DrainSchedule(eventLoop, this::drain, loopTerminated);
        this.settings = settings;
        this.role = role;
        this.setupTicket = setupTicket;
        this.budget = settings.maximumOutstandingOctets() == Long.MAX_VALUE
                ? null
                : new OctetBudget(settings.maximumOutstandingOctets());
        this.stream = domain.openStream();
        this.sendQueue = new SendQueue(this, settings.sendQueueDepth());
        this.receives = settings.managedReceiveOctets() > 0
                ? new ManagedReceives(
                        this, settings.receiveQueueDepth(), channel.alloc(), settings.managedReceiveOctets())
                : new ReceiveQueue(this, settings.receiveQueueDepth());
        this.routes = new CompletionRoutes();
        this.rdmap = new RdmapHandler(settings.rdmap(), this, stream, counters);
        this.receiveWait =
                new ReceiveWait(this, eventLoop, settings.receiveWait().toNanos(), rdmap::resume);
        this.watches = QuietWatches.of(this);
        this.metrics = settings.metrics() == null ? null : new QueuePairMetrics(this, settings.metrics(), role);
    }

    /** Adds the handlers of the three layers behind what is in the pipeline already. */
    void addHandlers(ChannelPipeline pipeline, MpaStartupHandler startup) {
        LoopTermination.await(eventLoop, loopTerminated);
        pipeline.addLast(startup);
        pipeline.addLast(new MpaFramingHandler(
                settings.mpa(), counters, stream.protectionDomain().device()));
        pipeline.addLast(new DdpHandler(settings.ddp(), stream, rdmap.ddpUlp(), counters));
        pipeline.addLast(rdmap);
    }

    /** {@return a slot to fill with a request of so many octets, or null: {@link #sendRefused} says why} */
    @Nullable
    WorkRequest claimSend(long octets) {
        if (closeReason != null || closing.get() != null) {
            return null;
        }
        OctetBudget octetBudget = budget;
        if (octetBudget == null) {
            return sendQueue.ring().claim();
        }
        if (!octetBudget.take(octets)) {
            return null;
        }
        WorkRequest request = sendQueue.ring().claim();
        if (request == null) {
            octetBudget.give(octets);
        }
        return request;
    }

    @Nullable
    ReceiveRequest claimReceive() {
        return closeReason == null ? receives.claim() : null;
    }

    void publish(WorkRequest request) {
        if (metrics != null) {
            metrics.posted(request);
        }
        sendQueue.ring().publish(request);
        drains.wake();
    }

    /** DDP looks at the receive queue when a message arrives, so nobody has to be woken, except after the end. */
    void publish(ReceiveRequest request) {
        receives.publish(request);
        if (!eventLoop.inEventLoop()) {
            // What is read next is written by the event loop, which looks for receives after that.
            VarHandle.fullFence();
        }
        if (closeReason != null || receiveWait.waiting()) {
            drains.wake();
        }
    }

    /** Any thread: there may be a receive for a message that waits for one. */
    void wakeIfWaiting() {
        if (receiveWait.waiting()) {
            drains.wake();
        }
    }

    /** Event loop: a request of so many octets has completed. */
    void giveBack(long octets) {
        if (budget != null) {
            budget.give(octets);
        }
    }

    RuntimeException sendRefused(long octets) {
        OctetBudget octetBudget = budget;
        if (octetBudget != null && octetBudget.lacks(octets)) {
            return refused(QueueLimit.OCTETS, octetBudget.exceeded(octets));
        }
        return refused(QueueLimit.SEND, new QueueFullException("send", settings.sendQueueDepth()));
    }

    RuntimeException receiveRefused() {
        String instead = receives.insteadOfPosting();
        if (instead != null) {
            return new IllegalStateException("no receives are posted on this queue pair: " + instead);
        }
        return refused(QueueLimit.RECEIVE, new QueueFullException("receive", settings.receiveQueueDepth()));
    }

    private RuntimeException refused(QueueLimit limit, QueueFullException full) {
        CloseReason draining = closing.get();
        CloseReason ended = closeReason;
        if (ended != null) {
            return new QueuePairClosedException(ended);
        }
        if (draining != null) {
            return new QueuePairClosedException(draining);
        }
        if (metrics != null) {
            metrics.refused(limit);
        }
        return full;
    }

    /** The event loop has terminated. Its thread does nothing any more, and only one other thread calls this. */
    private void drainAfterLoop() {
        CloseReason reason = closeReason;
        if (reason == null) {
            onEnded(LOOP_IS_GONE);
        } else {
            flush(reason);
        }
    }

    private void drain() {
        CloseReason reason = closeReason;
        if (reason != null) {
            flush(reason);
            return;
        }
        receiveWait.check(receives);
        if (rdmap.open()) {
            sendQueue.submit(rdmap);
        }
        if (orderlyClose != null) {
            closeWhenAllIsTaken(orderlyClose);
        }
    }

    /**
     * A slot that was claimed before the close and is not published yet holds up those behind it. Its publication wakes the
     * event loop, which looks again then.
     */
    private void closeWhenAllIsTaken(CloseReason reason) {
        if (!rdmap.open() || sendQueue.ring().untaken() == 0) {
            orderlyClose = null;
            closing.set(rdmap.close(reason));
        }
    }

    private void flush(CloseReason reason) {
        sendQueue.flush(reason);
        receiveWait.stop();
        receives.flush(reason);
        routes.onFlushed();
    }

    void close() {
        closing.compareAndSet(null, CLOSED_HERE);
        drains.execute(() -> closeInOrder(CLOSED_HERE));
    }

    /**
     * Ends the stream in order, on the event loop: what was posted before is sent. From then on requests are refused with
     * the reason that the stream has.
     */
    void closeInOrder(CloseReason reason) {
        if (closeReason == null) {
            closing.compareAndSet(null, reason);
            sendQueue.ring().close();
            orderlyClose = reason;
            drains.drain();
        }
    }

    void abort(CloseReason reason) {
        drains.execute(() -> rdmap.abort(reason));
    }

    @Override
    public UntaggedQueue receiveQueue() {
        return receives;
    }

    @Override
    public void onEstablished(MpaParameters agreed) {
        learnTlsSession();
        parameters = agreed;
        if (watches != null) {
            watches.start();
        }
        leaveSetup();
        if (metrics != null) {
            metrics.established();
        }
    }

    @Override
    public void onReady() {
        if (state == QueuePairState.INIT) {
            state = QueuePairState.READY;
        }
        LOGGER.debug("{} ready: {}", channel, parameters);
        tell(() -> listener.onReady(queuePair));
        ready.complete(queuePair);
        drains.drain();
    }

    @Override
    public @Nullable ProtocolFault onCompleted(RdmapRequest request) {
        return sendQueue.completeOldest();
    }

    @Override
    public void onServed(Operation operation, long octets) {
        if (metrics != null) {
            metrics.served(operation, octets);
        }
    }

    @Override
    public void onTerminateSent(@Nullable ProtocolError error) {
        if (metrics != null) {
            metrics.terminateSent(error);
        }
    }

    @Override
    public void onTerminateReceived(@Nullable ProtocolError error) {
        if (metrics != null) {
            metrics.terminateReceived(error);
        }
    }

    @Override
    public void onPeerClosedHalf() {
        tell(() -> listener.onPeerClosedHalf(queuePair));
        if (settings.closeWithPeer()) {
            closeInOrder(CLOSED_BY_PEER);
        }
    }

    @Override
    public boolean holdsInputBack() {
        return receiveWait.holdsInputBack();
    }

    @Override
    public void onReadComplete() {
        drains.endBurst();
    }

    @Override
    public void onEnhancedSetupRefused() {
        enhancedSetupRefused = true;
    }

    @Override
    public void onRejected(MpaEvent.Rejected rejection) {
        leaveSetup();
        if (metrics != null) {
            metrics.rejected();
        }
        ready.completeExceptionally(new ConnectionRejectedException(
                rejection.privateData(), depth(rejection.peerIrd()), depth(rejection.peerOrd())));
        channel.close();
    }

    private void leaveSetup() {
        if (setupTicket != null) {
            setupTicket.leave();
        }
    }

    /** Event loop: TLS has finished its handshake, if there is TLS. */
    void learnTlsSession() {
        tlsSession = TransportHandler.tlsSession(channel);
    }

    @Nullable
    SSLSession tlsSession() {
        return tlsSession;
    }

    /** {@return who a TLS peer has proven to be, or null} */
    static @Nullable Principal peerPrincipal(@Nullable SSLSession session) {
        try {
            return session == null ? null : session.getPeerPrincipal();
        } catch (SSLPeerUnverifiedException unproven) {
            return null;
        }
    }

    static OptionalInt depth(int told) {
        return told == EnhancedSetup.NOT_NEGOTIATED ? OptionalInt.empty() : OptionalInt.of(told);
    }

    @Override
    public void onEnded(CloseReason reason) {
        LoopTermination.forget(eventLoop, loopTerminated);
        leaveSetup();
        if (watches != null) {
            watches.stop();
        }
        closeReason = reason;
        state = channel.isOpen() ? QueuePairState.ERROR : QueuePairState.CLOSED;
        channel.closeFuture().addListener(closing -> state = QueuePairState.CLOSED);
        VarHandle.fullFence();
        // Before there is a connection request nobody but the log and the metrics tells a responder's operator of it.
        LOGGER.debug("{} {}: {}", channel, ready.isDone() ? "closed" : "set-up failed", reason);
        if (metrics != null) {
            metrics.ended(reason);
        }
        stream.close();
        sendQueue.ring().close();
        receives.close();
        drains.end();
        if (metrics != null) {
            metrics.leaveWhenClosed();
        }
        tell(() -> listener.onClosed(queuePair, reason));
        // Once the set-up has ended nobody would see the exception, whose stack trace is not free.
        if (!ready.isDone()) {
            ready.completeExceptionally(new StreamEndedException(reason));
        }
        closed.complete(reason);
    }

    /** A receive completes; until the end of the burst, posts need no wake-up. */
    void completeInBurst(@Nullable CompletionTarget target, Completion completion, CompletionBound place) {
        drains.beginBurst();
        complete(target, completion, place);
    }

    void complete(@Nullable CompletionTarget target, Completion completion, CompletionBound place) {
        if (target == null) {
            place.release();
            return;
        }
        try {
            target.complete(completion, place);
        } catch (RuntimeException | Error e) {
            logFailedListener(e);
        }
    }

    private void logFailedListener(Throwable cause) {
        LOGGER.error("{} a listener failed; the queue pair goes on", channel, cause);
    }

    private void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            logFailedListener(e);
        }
    }

    /** {@return where the completions of requests with an id go} */
    CompletionRoutes routes() {
        return routes;
    }

    ReceiveWait receiveWait() {
        return receiveWait;
    }

    void sharedReceiveQueue(SharedReceiveQueue queue) {
        if (parameters != null || receives.bound().uncompleted() > 0 || receives.insteadOfPosting() != null) {
            throw new IllegalStateException(
                    "a shared receive queue is set before the connection is made, once, on a queue"
                            + " pair without receives of its own");
        }
        if (routes.toCompletionQueues()) {
            throw new IllegalStateException(
                    "set the shared receive queue before the completion queues: it says how much"
                            + " room is needed there");
        }
        receives = new SharedReceives(this, queuePair, queue);
        VarHandle.fullFence();
        if (closeReason != null) {
            drains.wake();
        }
    }

    void completionQueues(CompletionQueue sends, CompletionQueue gets) {
        routes.requireNoQueues();
        sendQueue.ring().releasedByConsumer();
        receives.bound().releasedByConsumer();
        CompletionPort sendPort = new CompletionPort(queuePair, sends, sendQueue.ring());
        try {
            routes.queues(sendPort, new CompletionPort(queuePair, gets, receives.bound()));
        } catch (IllegalStateException refused) {
            sendPort.abandon();
            throw refused;
        }
        VarHandle.fullFence();
        if (closeReason != null) {
            drains.wake();
        }
    }

    void listener(QueuePairListener newListener) {
        listener = newListener;
    }

    QueuePairState state() {
        boolean draining = closing.get() != null;
        QueuePairState now = state;
        return draining && (now == QueuePairState.INIT || now == QueuePairState.READY) ? QueuePairState.DRAINING : now;
    }

    @Nullable
    CloseReason closeReason() {
        return closeReason;
    }

    @Nullable
    MpaParameters parameters() {
        return parameters;
    }

    CompletableFuture<QueuePair> ready() {
        return ready;
    }

    ClosedStages closed() {
        return closed;
    }

    /** {@return whether the peer closed the connection on an enhanced connection request} */
    boolean enhancedSetupRefused() {
        return enhancedSetupRefused;
    }

    Role role() {
        return role;
    }

    QueuePairSettings settings() {
        return settings;
    }

    StreamAssociation stream() {
        return stream;
    }

    Counters counters() {
        return counters;
    }

    @Nullable
    QueuePairMetrics metrics() {
        return metrics;
    }

    SendQueue sendQueue() {
        return sendQueue;
    }

    Receives receives() {
        return receives;
    }

    Channel channel() {
        return channel;
    }
}
