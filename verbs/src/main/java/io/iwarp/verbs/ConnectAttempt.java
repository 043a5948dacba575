package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.internal.EventLoopTasks;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A connection attempt of a client: up to two connections, one after the other. The second uses a connection request of
 * MPA revision 1. The attempt is cancelled when the caller completes its future. Any thread may call any method; all
 * other work is done on the event loop of the connection.
 */
final class ConnectAttempt implements SetupObserver {
    private static final CloseReason CANCELLED =
            CloseReason.of(EndedBy.LOCAL_APPLICATION, "the connection attempt was cancelled");

    private final Bootstrap bootstrap;
    private final IwarpChannelInitializer initializer;
    private final SocketAddress address;
    private final LoopFuture<QueuePair> connectFuture;
    private final CompletableFuture<Void> finishFuture = new CompletableFuture<>();
    private final ConnectionGroup connections;
    private volatile boolean cancelled;

    /** Whether the current connection was added to the group. */
    private volatile boolean isInGroup;

    /** The failure that left the current connection without a queue pair; null if there is none. */
    private volatile @Nullable Throwable preparationFailure;

    /** The queue pair of the current connection, once it is prepared. */
    private volatile @Nullable QueuePair currentQueuePair;

    /**
     * @param bootstrap with group and channel type
     * @param connections gets each connection before it has a queue pair
     */
    ConnectAttempt(
            Bootstrap bootstrap,
            IwarpChannelInitializer initializer,
            SocketAddress address,
            ConnectionGroup connections) {
        this.bootstrap = bootstrap;
        this.initializer = initializer;
        this.address = address;
        this.connections = connections;
        this.connectFuture = new LoopFuture<>(bootstrap.config().group());
        connectFuture.whenComplete(this::abortUnlessConnected);
    }

    /**
     * Returns a future that completes with the queue pair once requests may be sent, or fails when the attempt is
     * cleaned up.
     */
    CompletableFuture<QueuePair> connectFuture() {
        return connectFuture;
    }

    /**
     * Returns a future that completes when the attempt has a connection or is cleaned up. If the caller cancelled the
     * other future, this one completes after it.
     */
    CompletableFuture<Void> finishFuture() {
        return finishFuture;
    }

    /** Returns whether the attempt has no connection in the group, and may still make one. */
    boolean isBeforeConnection() {
        return !isInGroup;
    }

    /** Starts to connect. If that throws, the future fails. */
    void begin() {
        Throwable failure = Callbacks.call(() -> connect(initializer));
        if (failure != null) {
            fail(failure);
        }
    }

    /** Fails instead of {@link #begin}, since the client was shut down. */
    void refuse() {
        fail(closed(
                EndedBy.LOCAL_APPLICATION, "this client was shut down: make a new one to connect to " + address, null));
    }

    /** Cancels the attempt; its future fails when the attempt is cleaned up. */
    void cancel() {
        cancelled = true;
        QueuePair queuePair = currentQueuePair;
        if (queuePair != null && !connectFuture.isDone()) {
            queuePair.engine().abort(CANCELLED);
        }
    }

    /** Ends the current connection when the future is complete, unless the future completed with that connection. */
    private void abortUnlessConnected(@Nullable QueuePair outcome, @Nullable Throwable failure) {
        QueuePair queuePair = currentQueuePair;
        if (queuePair != null && queuePair != outcome) {
            queuePair.engine().abort(CANCELLED);
        }
    }

    @Override
    public boolean onChannelAdded(Channel channel) {
        connections.add(channel);
        isInGroup = true;
        return isWanted();
    }

    private boolean isWanted() {
        return !cancelled && !connectFuture.isDone();
    }

    @Override
    public void onFailed(Throwable cause) {
        preparationFailure = cause;
    }

    @Override
    public void onPrepared(QueuePair queuePair) {
        connections.attach(queuePair);
        currentQueuePair = queuePair;
        if (!isWanted()) {
            queuePair.engine().abort(CANCELLED);
        }
    }

    private void succeed(QueuePair queuePair) {
        connectFuture.complete(queuePair);
        finishFuture.complete(null);
    }

    private void fail(Throwable failure) {
        connectFuture.completeExceptionally(failure);
        finishFuture.complete(null);
    }

    private void connect(IwarpChannelInitializer handler) {
        ChannelFuture connecting =
                bootstrap.clone().handler(handler.withObserver(this)).connect(address);
        ChannelFutures.await(connecting, () -> {
            QueuePair queuePair = currentQueuePair;
            if (queuePair == null) {
                fail(failureWithoutQueuePair(connecting));
            } else if (connecting.isSuccess()) {
                queuePair.whenReady((ready, failure) -> onSetUp(queuePair, failure, handler));
            } else {
                runAfterReport(queuePair, () -> fail(failureOf(queuePair, connecting)));
            }
        });
    }

    private void onSetUp(QueuePair queuePair, @Nullable Throwable failure, IwarpChannelInitializer handler) {
        if (failure == null) {
            succeed(queuePair);
        } else {
            runAfterReport(queuePair, () -> onSetUpFailed(queuePair, failure, handler));
        }
    }

    private Throwable failureWithoutQueuePair(ChannelFuture connecting) {
        Throwable preparationCause = preparationFailure;
        if (preparationCause != null) {
            return closed(
                    EndedBy.LOCAL_APPLICATION,
                    "the connection could not be prepared: " + preparationCause,
                    preparationCause);
        }
        return isWanted() ? transportFailure(connecting) : new ConnectionClosedException(CANCELLED);
    }

    /**
     * If this side ended the connection, the queue pair has the reason; the transport only reports a closed channel.
     */
    private Throwable failureOf(QueuePair queuePair, ChannelFuture connecting) {
        CloseReason reason = queuePair.closeReason();
        return reason != null && reason.endedBy() == EndedBy.LOCAL_APPLICATION
                ? new ConnectionClosedException(reason)
                : transportFailure(connecting);
    }

    private Throwable transportFailure(ChannelFuture connecting) {
        Throwable failure = connecting.cause();
        if (failure == null || bootstrap.config().group().isShuttingDown()) {
            String detail = EventLoopTasks.SHUT_DOWN.detail();
            Throwable cause = failure == null ? new RejectedExecutionException(detail) : failure;
            return closed(EndedBy.LOCAL_APPLICATION, detail, cause);
        }
        if (failure instanceof UnsupportedAddressTypeException) {
            return new IllegalArgumentException(
                    "cannot connect to " + address + ": the channel type does not support a "
                            + address.getClass().getSimpleName() + "; use one that fits the address",
                    failure);
        }
        String detail = failure instanceof UnknownHostException
                ? "unknown host " + address
                : "could not connect to " + address + ": " + failure.getMessage();
        return closed(EndedBy.TRANSPORT, detail, failure);
    }

    private static ConnectionClosedException closed(EndedBy endedBy, String detail, @Nullable Throwable cause) {
        return new ConnectionClosedException(new CloseReason(endedBy, null, detail, cause));
    }

    private void onSetUpFailed(QueuePair queuePair, Throwable failure, IwarpChannelInitializer handler) {
        if (queuePair.engine().enhancedSetupRefused() && isWanted()) {
            currentQueuePair = null;
            isInGroup = false;
            connect(handler.withoutEnhancedSetup());
        } else {
            fail(failure);
        }
    }

    /**
     * Waits for the end of the queue pair, since the caller may close the protection domain as soon as the future
     * fails.
     */
    private static void runAfterReport(QueuePair queuePair, Runnable next) {
        queuePair.engine().closeFutures().reported().thenRun(next);
    }
}
