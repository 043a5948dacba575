package io.iwarp.verbs;

import io.netty.bootstrap.Bootstrap;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Makes connections as the initiator, on the caller's event loop group and channel type (verbs: {@code rdma_connect}).
 * Safe for use by any thread. It need not be closed; {@link #shutdownGracefully} ends all its connections.
 */
public final class IwarpConnector {
    private final Bootstrap bootstrap;
    private final IwarpChannelInitializer initializer;
    private final ConnectionGroup connections = new ConnectionGroup();
    private final ConnectAttempts attempts = new ConnectAttempts();

    /**
     * @param bootstrap with group and channel type set; it is copied
     * @param initializer from {@link IwarpChannelInitializer#initiator}
     * @throws IllegalArgumentException if the initializer is one of a responder
     */
    public IwarpConnector(Bootstrap bootstrap, IwarpChannelInitializer initializer) {
        initializer.requireConnects();
        this.bootstrap = bootstrap.clone();
        this.initializer = initializer;
    }

    /**
     * Connects. If the peer closes the connection on an enhanced connection request, as one does that knows revision 1 of
     * MPA only, a second connection is made with a plain request (RFC 6581 section 10); the initializer then prepares a
     * second queue pair.
     *
     * <p>An attempt is given up when its future is cancelled or completed by the caller, for example by
     * {@link CompletableFuture#orTimeout}: the channel is closed and the stream leaves its protection domain, at once.
     * Futures that were made of it, for example by {@code thenApply}, do not pass a cancellation on.
     *
     * @param address of the responder, as the channel type takes it
     * @return completes on the event loop with the queue pair once requests flow. An event loop of the bootstrap's group must
     *     not wait for it: {@code get} and {@code join} throw {@link io.netty.util.concurrent.BlockingOperationException}
     *     there. Fails with
     *     {@link io.iwarp.ConnectionRejectedException} if the peer says no, with {@link io.iwarp.StreamEndedException} if
     *     start-up fails or times out, with the transport's exception if there is no connection to be had. It fails when
     *     nothing of the attempt is left: the queue pair's stream has left its protection domain, and what was chained to
     *     its {@link QueuePair#closed} before, without {@code Async}, has run. So the domain may be closed right behind it.
     * @throws IllegalStateException if the connector was shut down
     */
    public CompletableFuture<QueuePair> connect(SocketAddress address) {
        Bootstrap complete = bootstrap.clone().handler(initializer);
        complete.validate();
        ConnectAttempt attempt = new ConnectAttempt(complete, initializer, address, connections::entered);
        if (!attempts.add(attempt)) {
            throw new IllegalStateException("this connector was shut down: make a new one to connect to " + address);
        }
        attempt.begin();
        return attempt.connected();
    }

    /**
     * Returns how many connections it has, those in set-up included, whose channel is open, or whose queue pair has not
     * told of its end; a moment's view.
     */
    public int connections() {
        return connections.size();
    }

    /**
     * Refuses further attempts to connect, gives up those under way, whose futures fail, and closes all connections
     * that were made: each sends what was posted, gives its peer the answers that it is owed, and tells the peer that
     * nothing more will come. What has not closed at the deadline is aborted. May be called again, with another
     * deadline.
     *
     * @param deadline how long the connections have, not negative; 0 aborts them at once
     * @return completes on an event loop when of no connection anything is left: its channel is closed, its stream has left
     *     the protection domain, every request has completed, and what was chained to {@link QueuePair#closed} before,
     *     without {@code Async}, has run. So the protection domain may be closed, and the event loop group shut down, right
     *     behind it.
     */
    public CompletionStage<Void> shutdownGracefully(Duration deadline) {
        long nanos = ConnectionGroup.requireDeadline(deadline);
        CompletableFuture<Void> done = new LoopFuture<>(bootstrap.config().group());
        attempts.close().thenCompose(none -> connections.close()).thenRun(() -> done.complete(null));
        try {
            ScheduledFuture<?> timer =
                    bootstrap.config().group().schedule(connections::abort, nanos, TimeUnit.NANOSECONDS);
            return done.whenComplete((nothing, failure) -> timer.cancel(false));
        } catch (RejectedExecutionException loopIsGone) {
            connections.abort();
            return done;
        }
    }
}
