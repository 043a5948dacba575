package io.iwarp.verbs;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelPipeline;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Makes connections as the initiator, on the caller's event loop group and channel type (verbs: {@code rdma_connect}).
 * Safe for use by any thread. It does not have to be closed; {@link #shutdownGracefully} ends all its connections.
 */
public final class IwarpConnector {
    private final Bootstrap bootstrap;
    private final IwarpChannelInitializer initializer;
    private final BiConsumer<ChannelPipeline, SocketAddress> handlers;
    private final ConnectionGroup connections = new ConnectionGroup();
    private final ConnectAttempts attempts = new ConnectAttempts();

    /**
     * @param bootstrap with group and channel type set; it is copied
     * @param initializer from {@link IwarpChannelInitializer#initiator}
     * @throws IllegalArgumentException if the initializer is one of a responder
     */
    public IwarpConnector(Bootstrap bootstrap, IwarpChannelInitializer initializer) {
        this(bootstrap, initializer, (pipeline, address) -> {});
    }

    /**
     * As {@link #IwarpConnector(Bootstrap, IwarpChannelInitializer)}, with handlers that depend on the address.
     *
     * @param handlers called on the event loop of each connection, with the address that {@link #connect} got, after
     *     the {@linkplain IwarpChannelInitializer#withTransportHandlers transport handlers} of the initializer: adds
     *     further ones between the socket and MPA, such as TLS that verifies the name of the host
     */
    public IwarpConnector(
            Bootstrap bootstrap,
            IwarpChannelInitializer initializer,
            BiConsumer<ChannelPipeline, SocketAddress> handlers) {
        initializer.requireConnects();
        this.handlers = Objects.requireNonNull(handlers, "handlers");
        this.bootstrap = bootstrap.clone();
        this.initializer = initializer;
    }

    /**
     * Connects. If the peer closes the connection on an enhanced connection request, as a peer does that supports only
     * revision 1 of MPA, the connector makes a second connection with a plain request (RFC 6581 section 10). The
     * initializer then prepares a second queue pair.
     *
     * <p>The attempt is abandoned when the caller cancels or completes its future, for example with
     * {@link CompletableFuture#orTimeout}: the channel is closed and the stream leaves its protection domain at once.
     * Cancelling a derived future, for example of {@code thenApply}, does not cancel the attempt.
     *
     * @param address of the responder, as the channel type takes it
     * @return completes on the event loop with the queue pair once requests may be sent. An event loop of the
     *     bootstrap's group must not wait for it: {@code get} and {@code join} throw
     *     {@link io.netty.util.concurrent.BlockingOperationException} there. Fails with
     *     {@link io.iwarp.ConnectionRejectedException} if the peer rejects the request, with
     *     {@link io.iwarp.ConnectionClosedException} if start-up fails or times out, with the transport's exception if
     *     it could not connect. It fails only after the attempt is cleaned up: the queue pair's stream has left its
     *     protection domain, and actions chained earlier to its {@link QueuePair#closed} without {@code Async} have
     *     run. The domain may be closed immediately afterwards.
     * @throws IllegalStateException if the connector was shut down
     */
    public CompletableFuture<QueuePair> connect(SocketAddress address) {
        Objects.requireNonNull(address, "address");
        IwarpChannelInitializer towards =
                initializer.withFurtherTransportHandlers(pipeline -> handlers.accept(pipeline, address));
        Bootstrap complete = bootstrap.clone().handler(towards);
        complete.validate();
        ConnectAttempt attempt = new ConnectAttempt(complete, towards, address, connections);
        if (!attempts.add(attempt)) {
            throw new IllegalStateException("this connector was shut down: make a new one to connect to " + address);
        }
        attempt.begin();
        return attempt.connected();
    }

    /**
     * Returns the number of connections, including those in set-up, whose channel is open or whose queue pair has not
     * yet reported its end. It may change at any time.
     */
    public int connections() {
        return connections.size();
    }

    /**
     * Refuses further attempts to connect, abandons current attempts, whose futures fail, and closes all connections in
     * order: each sends its posted requests and the pending answers to its peer, then closes its half. Connections that
     * are still open at the deadline are aborted. May be called again, with another deadline.
     *
     * @param deadline the time for the orderly close, not negative; 0 aborts at once
     * @return completes on an event loop when all connections are cleaned up: each channel is closed, each stream has
     *     left the protection domain, every request has completed, and actions chained earlier to
     *     {@link QueuePair#closed} without {@code Async} have run. The protection domain may be closed, and the event
     *     loop group shut down, immediately afterwards.
     */
    public CompletableFuture<Void> shutdownGracefully(Duration deadline) {
        long nanos = ConnectionGroup.requireDeadline(deadline);
        CompletableFuture<Void> done = new LoopFuture<>(bootstrap.config().group());
        attempts.close().thenCompose(none -> connections.close()).thenRun(() -> done.complete(null));
        return connections.abortAfter(bootstrap.config().group().next(), nanos, done);
    }

    @Override
    public String toString() {
        return "IwarpConnector[" + connections() + " connections]";
    }
}
