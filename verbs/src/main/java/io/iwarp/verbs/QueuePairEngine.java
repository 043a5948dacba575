package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.EventLoopTasks;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.metrics.DefaultIwarpMetrics;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.internal.mpa.WirePosition;
import io.iwarp.internal.transport.TransportHandler;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.rdmap.RdmapHandler;
import io.iwarp.rdmap.RdmapSettings;
import io.iwarp.rdmap.RdmapUlp;
import io.iwarp.rdmap.RequestQueue;
import io.iwarp.rdmap.StreamState;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Connects the parts of a {@link QueuePair}, which do not refer to it: passes the events of RDMAP to them, lets RDMAP
 * take what is posted, and completes all requests when the stream has ended.
 *
 * <p>Threads: the event loop takes posted requests as described in {@link DrainSchedule}. Any thread may call
 * {@link #close} and {@link #abort}.
 *
 * <p>No request is lost at the end: a thread that publishes after the end of the stream sees the close reason and wakes
 * the event loop, which flushes again. After the termination of the loop, a termination listener flushes; see
 * {@link DrainSchedule} and {@link LoopTermination}.
 */
final class QueuePairEngine implements RdmapUlp {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private static final CloseReason CLOSED_HERE =
            CloseReason.of(EndedBy.LOCAL_APPLICATION, "closed by the application");
    private static final CloseReason CLOSED_BY_PEER =
            CloseReason.of(EndedBy.PEER_CLOSED, "the peer closed the connection");

    private final Channel channel;
    private final EventLoop eventLoop;
    private final StreamAssociation stream;
    private final StreamState state = new StreamState();
    private final CloseFutures closeFutures;
    private final DrainSchedule drains;
    private final ReceiveSide receiveSide;
    /** Null without managed receives. */
    private final @Nullable MessageQueue messageQueue;

    private final PostedRequests requests;
    private final RequestPoster poster;
    private final RdmapHandler rdmap;
    private final LongSupplier bytesWritten;
    private final QueuePairRecorder recorder;
    private final EngineListener listener;
    private final boolean closeWithPeer;
    /** Null if there are none. */
    private final @Nullable IdleTimers idleTimers;
    /** Null at an initiator. */
    private final SetupGate.@Nullable Ticket setupTicket;

    private final Runnable terminationListener = this::drainAfterLoop;
    private boolean setupEnded;

    // The negotiated state of the connection. Written by the event loop, read by any thread.

    private volatile @Nullable MpaParameters parameters;
    private volatile @Nullable SSLSession tlsSession;
    private volatile boolean enhancedSetupRefused;
    private volatile Runnable establishedListener = () -> {};

    /**
     * @param stream is closed at the end of this queue pair
     * @param setupTicket null at an initiator
     */
    QueuePairEngine(
            Channel channel,
            StreamAssociation stream,
            ConnectionCounters counters,
            QueuePairSettings settings,
            Role role,
            SetupGate.@Nullable Ticket setupTicket,
            EngineListener listener) {
        this.channel = channel;
        this.stream = stream;
        this.setupTicket = setupTicket;
        this.listener = listener;
        closeWithPeer = settings.closeWithPeer();
        eventLoop = channel.eventLoop();
        closeFutures = new CloseFutures(eventLoop);
        stream.setClosingPredicate(() -> state.refusalReason() != null);
        drains = new DrainSchedule(eventLoop, this::drain, terminationListener, () -> counters.get(Counter.BYTES_SENT));
        recorder = new QueuePairRecorder(channel, role, counters, settings);
        receiveSide = new ReceiveSide(channel, stream, settings, state, drains, recorder, this::resume);
        messageQueue = settings.managedReceiveBytes() == 0
                ? null
                : new MessageQueue(
                        eventLoop,
                        drains,
                        receiveSide.receiveStall()::wake,
                        state::closeReason,
                        stream.managedReceiveBudget());
        if (messageQueue != null) {
            receiveSide.setTarget(messageQueue);
        }
        requests = new PostedRequests(channel, settings, state, drains, recorder);
        poster = new RequestPoster(requests, stream, state, settings.extensions());
        bytesWritten = TransportHandler.bytesWritten(channel, () -> counters.get(Counter.BYTES_SENT));
        WirePosition position = new WirePosition(channel, counters, bytesWritten);
        idleTimers =
                settings.idleTimeout().isZero() && settings.keepAliveInterval().isZero()
                        ? null
                        : new IdleTimers(
                                settings,
                                eventLoop,
                                counters,
                                position,
                                () -> !channel.config().isAutoRead(),
                                this::keepAlive,
                                this::closeInOrder);
        rdmap = new RdmapHandler(
                new RdmapSettings(
                        settings.closeTimeout(),
                        settings.responseTimeout(),
                        settings.transmitTimeout(),
                        settings.extensions()),
                this,
                stream,
                counters,
                position,
                state,
                TransportHandler::closeOutput);
        IwarpMetrics metrics = settings.metrics();
        if (metrics != null) {
            recorder.addConnection(metrics, this::gauges);
        }
    }

    /** Any thread. */
    private DefaultIwarpMetrics.Gauges gauges() {
        ReceiveSource source = receiveSide.source();
        return new DefaultIwarpMetrics.Gauges(
                state(),
                requests.outstanding(),
                requests.waitingCount(),
                requests.depth(),
                source.inUseCount(),
                source.slots().depth());
    }

    /**
     * Returns the RDMAP handler, which the caller adds to a pipeline. After this call the termination of the event loop
     * ends the stream.
     */
    RdmapHandler enterPipeline() {
        LoopTermination.await(eventLoop, terminationListener);
        closeFutures.reported().thenRun(() -> LoopTermination.forget(eventLoop, terminationListener));
        return rdmap;
    }

    private void keepAlive() {
        rdmap.keepAlive();
    }

    private void resume() {
        rdmap.resume();
    }

    /**
     * Ends the stream, or drains, after the event loop has terminated. The loop's thread has stopped, and only one
     * other thread calls this.
     */
    void drainAfterLoop() {
        CloseReason reason = state.closeReason();
        if (reason == null) {
            rdmap.end(EventLoopTasks.SHUT_DOWN);
        } else {
            flush(reason);
        }
    }

    private void drain() {
        CloseReason reason = state.closeReason();
        if (reason != null) {
            flush(reason);
            return;
        }
        rdmap.startRequests();
        requests.reportRoom();
    }

    private void flush(CloseReason reason) {
        requests.flush(reason);
        receiveSide.flush(reason);
    }

    /** Any thread: starts the application's orderly close of the stream. */
    void close() {
        state.requestClose(CLOSED_HERE);
        drains.execute(() -> closeInOrder(CLOSED_HERE));
        discardMessages();
    }

    /**
     * Closes the stream gracefully, on the event loop. Requests posted before are sent; later requests are refused with
     * the close reason of the stream. A slot that was claimed before the close and is not yet published counts as
     * posted: its publication wakes the event loop.
     */
    private void closeInOrder(CloseReason reason) {
        rdmap.close(reason);
        drains.drain();
    }

    /** Any thread: returns the queue of messages. */
    MessageQueue messages() {
        MessageQueue queue = messageQueue;
        if (queue == null || receiveSide.target() != queue) {
            throw new IllegalStateException(
                    "nextMessage() takes the messages of managed receives, if there is no listener and"
                            + " no completion queue: set QueuePairSettings.managedReceiveBytes");
        }
        return queue;
    }

    private void discardMessages() {
        if (messageQueue != null) {
            drains.execute(messageQueue::discard);
        }
    }

    /** Event loop: ends a stream that cannot begin. */
    void fail(CloseReason reason) {
        rdmap.end(reason);
    }

    /**
     * Ends the stream because a listener threw an exception, since its event is lost. Only logs the exception if the
     * stream is already closing.
     *
     * @param listenerName what the listener is for
     */
    void endAfterListenerFailure(String listenerName, Throwable thrown) {
        LOGGER.error("{} the listener for {} threw an exception; the stream ends", channel, listenerName, thrown);
        if (state.refusalReason() == null) {
            abort(new CloseReason(
                    EndedBy.LOCAL_APPLICATION, null, "the listener for " + listenerName + " threw " + thrown, thrown));
        }
    }

    /** Any thread: ends the stream at once. */
    void abort(CloseReason reason) {
        drains.execute(() -> rdmap.abort(reason));
        discardMessages();
    }

    /** Any thread: repeats the flush if the stream has ended, so that it sees the new setting. */
    void flushAgainIfEnded() {
        VarHandle.fullFence();
        if (state.closeReason() != null) {
            drains.wake();
        }
    }

    @Override
    public RequestQueue requestQueue() {
        return requests;
    }

    @Override
    public UntaggedQueue receiveQueue() {
        return receiveSide.source();
    }

    @Override
    public void onEstablished(MpaParameters agreed) {
        storeTlsSession();
        requests.setOrd(agreed.ord());
        if (idleTimers != null) {
            idleTimers.start();
        }
        leaveSetup();
        recorder.onEstablished();
        parameters = agreed;
        establishedListener.run();
    }

    @Override
    public void onReady() {
        setupEnded = true;
        LOGGER.debug("{} ready: {}", channel, parameters);
        listener.onReady();
        drains.drain();
    }

    @Override
    public void onClosing() {
        requests.close();
    }

    @Override
    public void onServed(Operation operation, long bytes) {
        if (recorder.recordsRequests) {
            recorder.onServed(operation, bytes);
        }
    }

    @Override
    public void onTerminateSent(@Nullable ProtocolError error) {
        recorder.onTerminate(true, error);
    }

    @Override
    public void onTerminateReceived(@Nullable ProtocolError error) {
        recorder.onTerminate(false, error);
    }

    @Override
    public void onInputShutdown() {
        listener.onInputShutdown();
        if (closeWithPeer) {
            closeInOrder(CLOSED_BY_PEER);
        }
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
        recorder.onRejected();
        setupEnded = true;
        listener.onSetupFailed(new ConnectionRejectedException(
                rejection.privateData(),
                NegotiatedDepth.of(rejection.peerIrd()),
                NegotiatedDepth.of(rejection.peerOrd())));
        channel.close();
    }

    private void leaveSetup() {
        if (setupTicket != null) {
            setupTicket.leave();
        }
    }

    @Override
    public void onEnded(CloseReason reason) {
        leaveSetup();
        VarHandle.fullFence();
        LOGGER.atLevel(levelOf(reason))
                .setCause(isOwnFailure(reason) ? reason.cause() : null)
                .log("{} {}: {}", channel, setupEnded ? "closed" : "set-up failed", reason);
        runStep(() -> report(reason));
        runStep(stream::close);
        runStep(this::closeQueues);
        runStep(() -> ChannelFutures.await(channel.closeFuture(), recorder::onClosed));
        runStep(() -> listener.onClosed(reason));
        closeFutures.complete(reason);
    }

    /**
     * Returns the log level of an end. Actions of the peer are logged at DEBUG, so that a peer cannot fill the log,
     * except a set-up that fails before the connection request, of which a responder has no other report.
     */
    private Level levelOf(CloseReason reason) {
        if (isOwnFailure(reason)) {
            return Level.WARN;
        }
        return parameters != null && reason.endedBy() == EndedBy.TIMEOUT ? Level.INFO : Level.DEBUG;
    }

    /** Returns whether this side failed, for example without memory, and not the peer. */
    private static boolean isOwnFailure(CloseReason reason) {
        return reason.endedBy() == EndedBy.LOCAL_FAULT && reason.cause() != null;
    }

    /** Runs one part of the end. If it throws, the others still run. */
    private void runStep(Runnable step) {
        Callbacks.notify(channel, step);
    }

    private void report(CloseReason reason) {
        if (idleTimers != null) {
            idleTimers.stop();
        }
        recorder.onEnded(reason);
    }

    private void closeQueues() {
        requests.close();
        receiveSide.close();
        drains.end();
    }

    /** Returns the counter of the bytes that were handed to the transport. */
    LongSupplier bytesWritten() {
        return bytesWritten;
    }

    /** Returns the state of the connection. */
    ConnectionState state() {
        return state.connectionState(channel.isOpen());
    }

    /** Returns the reason of the stream's end, or null before it. */
    @Nullable
    CloseReason closeReason() {
        return state.closeReason();
    }

    /** Returns the negotiated parameters, or null before the set-up is complete. */
    @Nullable
    MpaParameters parameters() {
        return parameters;
    }

    /** Sets the action that the event loop runs when the parameters are negotiated. Must be set before. */
    void setEstablishedListener(Runnable action) {
        establishedListener = action;
    }

    /** Event loop: stores the TLS session, if any, after the handshake. */
    void storeTlsSession() {
        tlsSession = TransportHandler.tlsSession(channel);
    }

    @Nullable
    SSLSession tlsSession() {
        return tlsSession;
    }

    /** Returns whether the peer closed the connection on an enhanced connection request. */
    boolean enhancedSetupRefused() {
        return enhancedSetupRefused;
    }

    /** Returns the futures that complete when the stream has ended. */
    CloseFutures closeFutures() {
        return closeFutures;
    }

    PostedRequests requests() {
        return requests;
    }

    RequestPoster poster() {
        return poster;
    }

    ReceiveSide receiveSide() {
        return receiveSide;
    }
}
