package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
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
 * One connect of a client: up to two connections, one after the other. The second uses a plain connection request. The
 * attempt is cancelled when the caller completes its future. Any thread may call any method; all other work is done on
 * the event loop of the connection.
 */
final class ConnectAttempt implements SetupObserver {
    private static final CloseReason CANCELLED =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "the connection attempt was cancelled", null);

    private final Bootstrap bootstrap;
    private final IwarpChannelInitializer initializer;
    private final SocketAddress address;
    private final LoopFuture<QueuePair> connected;
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private final ConnectionGroup connections;
    private volatile boolean cancelled;

    /** Whether the group has the current connection. */
    private volatile boolean entered;

    /** Why the current connection got no queue pair, once that is known. */
    private volatile @Nullable Throwable notPrepared;

    /** The queue pair of the current connection, once it is prepared. */
    private volatile @Nullable QueuePair current;

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
        this.connected = new LoopFuture<>(bootstrap.config().group());
        connected.whenComplete(this::abortUnlessConnected);
    }

    /**
     * Returns a future that completes with the queue pair once requests may be sent, or fails when the attempt is
     * cleaned up.
     */
    CompletableFuture<QueuePair> connected() {
        return connected;
    }

    /**
     * Returns a future that completes when the attempt has a connection or is cleaned up. If the caller cancelled the
     * other future, this one completes after it.
     */
    CompletableFuture<Void> finished() {
        return finished;
    }

    /** Returns whether the attempt has no connection in the group, and may still make one. */
    boolean isBeforeConnection() {
        return !entered;
    }

    /** Begins. The future fails if that is not possible. */
    void begin() {
        Throwable failure = Application.call(() -> connect(initializer));
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
        QueuePair queuePair = current;
        if (queuePair != null && !connected.isDone()) {
            queuePair.engine().abort(CANCELLED);
        }
    }

    /** Ends the current connection when the future is complete, unless the future completed with that connection. */
    private void abortUnlessConnected(@Nullable QueuePair outcome, @Nullable Throwable failure) {
        QueuePair queuePair = current;
        if (queuePair != null && queuePair != outcome) {
            queuePair.engine().abort(CANCELLED);
        }
    }

    @Override
    public boolean entered(Channel channel) {
        connections.entered(channel);
        entered = true;
        return isWanted();
    }

    private boolean isWanted() {
        return !cancelled && !connected.isDone();
    }

    @Override
    public void failed(Throwable cause) {
        notPrepared = cause;
    }

    @Override
    public void prepared(QueuePair queuePair) {
        connections.prepared(queuePair);
        current = queuePair;
        if (!isWanted()) {
            queuePair.engine().abort(CANCELLED);
        }
    }

    private void succeed(QueuePair queuePair) {
        connected.complete(queuePair);
        finished.complete(null);
    }

    private void fail(Throwable failure) {
        connected.completeExceptionally(failure);
        finished.complete(null);
    }

    private void connect(IwarpChannelInitializer handler) {
        ChannelFuture connecting =
                bootstrap.clone().handler(handler.withObserver(this)).connect(address);
        ChannelOutcome.await(connecting, () -> {
            QueuePair queuePair = current;
            if (queuePair == null) {
                fail(failureWithoutQueuePair(connecting));
            } else if (connecting.isSuccess()) {
                queuePair.whenReady((ready, failure) -> onSetUp(queuePair, failure, handler));
            } else {
                whenReported(queuePair, () -> fail(failureOf(queuePair, connecting)));
            }
        });
    }

    private void onSetUp(QueuePair queuePair, @Nullable Throwable failure, IwarpChannelInitializer handler) {
        if (failure == null) {
            succeed(queuePair);
        } else {
            whenReported(queuePair, () -> onSetUpFailed(queuePair, failure, handler));
        }
    }

    private Throwable failureWithoutQueuePair(ChannelFuture connecting) {
        Throwable unprepared = notPrepared;
        if (unprepared != null) {
            return closed(EndedBy.LOCAL_APPLICATION, "the connection could not be prepared: " + unprepared, unprepared);
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
            String detail = "the event loop of the connection was shut down";
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
            current = null;
            entered = false;
            connect(handler.withoutEnhancedSetup());
        } else {
            fail(failure);
        }
    }

    /**
     * Waits for the end of the queue pair, since the caller may close the protection domain as soon as the future
     * fails.
     */
    private static void whenReported(QueuePair queuePair, Runnable next) {
        queuePair.engine().closed().reported().thenRun(next);
    }
}
