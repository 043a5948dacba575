package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@link IwarpConnector#connect}: up to two connections, one after the other. The second uses a plain
 * connection request. The attempt is abandoned when the caller completes its future. Any thread may call any method;
 * all other work is done on the event loop of the connection.
 */
final class ConnectAttempt implements SetupObserver {
    private static final CloseReason GIVEN_UP =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "the attempt to connect was given up", null);

    private final Bootstrap bootstrap;
    private final IwarpChannelInitializer initializer;
    private final SocketAddress address;
    private final LoopFuture<QueuePair> connected;
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private final ConnectionGroup connections;
    private volatile boolean givenUp;

    /** Why the current connection got no queue pair, once that is known. */
    private volatile @Nullable Throwable notPrepared;

    /** The queue pair of the current connection, once it is prepared. */
    private volatile @Nullable QueuePair current;

    /**
     * @param bootstrap with group and channel type
     * @param connections gets each queue pair before anything is sent
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
        connected.whenComplete(this::abandonUnless);
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

    /** Begins. The future fails if that is not possible. */
    void begin() {
        Throwable failure = Application.call(() -> connect(initializer));
        if (failure != null) {
            fail(failure);
        }
    }

    /** Abandons the attempt; its future fails when the attempt is cleaned up. */
    void giveUp() {
        givenUp = true;
        QueuePair queuePair = current;
        if (queuePair != null && !connected.isDone()) {
            queuePair.engine().abort(GIVEN_UP);
        }
    }

    /** Ends the current connection when the future is complete, unless the future completed with that connection. */
    private void abandonUnless(@Nullable QueuePair outcome, @Nullable Throwable failure) {
        QueuePair queuePair = current;
        if (queuePair != null && queuePair != outcome) {
            queuePair.engine().abort(GIVEN_UP);
        }
    }

    @Override
    public void failed(Throwable cause) {
        notPrepared = cause;
    }

    @Override
    public void prepared(QueuePair queuePair) {
        connections.entered(queuePair);
        current = queuePair;
        if (givenUp || connected.isDone()) {
            queuePair.engine().abort(GIVEN_UP);
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
                fail(
                        notPrepared == null
                                ? failureOf(connecting)
                                : new ConnectionClosedException(reasonOf(notPrepared)));
            } else if (connecting.isSuccess() || endedHere(queuePair)) {
                queuePair.whenReady((ready, failure) -> {
                    if (failure == null) {
                        succeed(ready);
                    } else {
                        whenReported(queuePair, () -> setUpFailed(queuePair, failure, handler));
                    }
                });
            } else {
                whenReported(queuePair, () -> fail(reasonOf(queuePair, failureOf(connecting))));
            }
        });
    }

    /** Returns why a connection was not made. The event loop that should make it may be gone. */
    private static Throwable failureOf(ChannelFuture connecting) {
        Throwable failure = connecting.cause();
        return failure == null
                ? new RejectedExecutionException("the event loop of the connection was shut down")
                : failure;
    }

    private static CloseReason reasonOf(Throwable notPrepared) {
        return new CloseReason(
                EndedBy.LOCAL_APPLICATION, null, "the connection could not be prepared: " + notPrepared, notPrepared);
    }

    private void setUpFailed(QueuePair queuePair, Throwable failure, IwarpChannelInitializer handler) {
        if (queuePair.engine().life().enhancedSetupRefused() && !givenUp && !connected.isDone()) {
            current = null;
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
        queuePair.engine().life().closed().reported().thenRun(next);
    }

    /** Returns why the connection of a queue pair that is over was not made. */
    private static Throwable reasonOf(QueuePair queuePair, Throwable transports) {
        CloseReason reason = queuePair.closeReason();
        return reason != null && endedHere(queuePair) ? new ConnectionClosedException(reason) : transports;
    }

    /**
     * If this side ended the connection, the queue pair has the reason; the transport only reports a closed channel.
     */
    private static boolean endedHere(QueuePair queuePair) {
        CloseReason reason = queuePair.closeReason();
        return reason != null && reason.endedBy() == EndedBy.LOCAL_APPLICATION;
    }
}
