package io.iwarp.verbs;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelPipeline;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** Makes connections as the initiator (verbs: {@code rdma_connect}). Safe for use by any thread. */
final class IwarpConnector {
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
    IwarpConnector(Bootstrap bootstrap, IwarpChannelInitializer initializer) {
        this(bootstrap, initializer, (pipeline, address) -> {});
    }

    /**
     * Creates a connector whose transport handlers depend on the address; see {@link #IwarpConnector(Bootstrap,
     * IwarpChannelInitializer)}.
     *
     * @param handlers called on the event loop of each connection, with the address that {@link #connect} got, after
     *     the {@linkplain IwarpChannelInitializer#withTransportHandlers transport handlers} of the initializer: adds
     *     further ones between the socket and MPA, such as TLS that verifies the name of the host
     */
    IwarpConnector(
            Bootstrap bootstrap,
            IwarpChannelInitializer initializer,
            BiConsumer<ChannelPipeline, SocketAddress> handlers) {
        initializer.requireInitiator();
        this.handlers = Objects.requireNonNull(handlers, "handlers");
        this.bootstrap = bootstrap.clone();
        this.initializer = initializer;
    }

    CompletableFuture<QueuePair> connect(SocketAddress address) {
        return connect(address, initializer);
    }

    /** Starts an attempt that can be cancelled; see {@link #connect(SocketAddress)}. */
    Reconnector.Attempt attempt(SocketAddress address) {
        ConnectAttempt attempt = begin(address, initializer);
        return new Reconnector.Attempt(attempt.connectFuture(), attempt::cancel);
    }

    /** Connects with another initializer; see {@link Iwarp.Client#connect(SocketAddress)}. */
    CompletableFuture<QueuePair> connect(SocketAddress address, IwarpChannelInitializer setup) {
        return begin(address, setup).connectFuture();
    }

    private ConnectAttempt begin(SocketAddress address, IwarpChannelInitializer setup) {
        Objects.requireNonNull(address, "address");
        IwarpChannelInitializer complete =
                setup.withFurtherTransportHandlers(pipeline -> handlers.accept(pipeline, address));
        bootstrap.clone().handler(complete).validate();
        ConnectAttempt attempt = new ConnectAttempt(bootstrap, complete, address, connections);
        if (!attempts.add(attempt)) {
            attempt.refuse();
        } else {
            attempt.begin();
        }
        return attempt;
    }

    /** Returns the number of connections; see {@link Iwarp.Client#connections}. */
    int connections() {
        return connections.size() + attempts.unconnectedCount();
    }

    /** Shuts down; see {@link Iwarp.Client#shutdownGracefully}. */
    CompletableFuture<Void> shutdownGracefully(Duration deadline) {
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
