package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.transport.ChannelTypes;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The entry point: creates servers and clients on an event loop group of the caller. The group determines the
 * transport, for example NIO or epoll.
 *
 * <pre>{@code
 * Iwarp.server(group).domain(domain).onRequest(request -> request.accept(region)).listen(7471).join();
 *
 * QueuePair queuePair = Iwarp.client(group).connect("db1", 7471).join();
 * RemoteBuffer there = queuePair.remoteBuffer();
 * queuePair.write(source, there).join();
 * }</pre>
 *
 * <p>For options of the channels, give a bootstrap with them instead of the group. For a pipeline of your own, see
 * {@link IwarpChannelInitializer}.
 */
public final class Iwarp {
    private Iwarp() {}

    /**
     * Returns the settings of a server. They belong to one thread.
     *
     * @param group runs the listening channel and the connections; the caller shuts it down
     * @throws IllegalArgumentException if the channel type for the group is not known
     */
    public static Server server(EventLoopGroup group) {
        return server(new ServerBootstrap()
                .group(Objects.requireNonNull(group, "group"))
                .channel(ChannelTypes.of(group).serverChannel()));
    }

    /**
     * Returns the settings of a server with a bootstrap of the caller; see {@link #server(EventLoopGroup)}.
     *
     * @param bootstrap with groups and channel type set, options if wanted, and no child handler; it is copied
     */
    public static Server server(ServerBootstrap bootstrap) {
        return new Server(bootstrap.clone());
    }

    /**
     * Returns a client. Make one for each kind of connection, and connect with it as often as needed.
     *
     * @param group runs the connections; the caller shuts it down
     * @throws IllegalArgumentException if the channel type for the group is not known
     */
    public static Client client(EventLoopGroup group) {
        return client(new Bootstrap()
                .group(Objects.requireNonNull(group, "group"))
                .channel(ChannelTypes.of(group).channel()));
    }

    /**
     * Returns a client with a bootstrap of the caller; see {@link #client(EventLoopGroup)}.
     *
     * @param bootstrap with group and channel type set, options if wanted; it is copied
     */
    public static Client client(Bootstrap bootstrap) {
        return new Client(bootstrap.clone());
    }

    /** A server configuration. Each {@code listen} uses the values set at that moment. */
    public static final class Server {
        private final ServerBootstrap bootstrap;
        private @Nullable ProtectionDomain domain;
        private QueuePairSettings settings = QueuePairSettings.DEFAULT;
        private @Nullable MessageListener messages;
        private int messageBytes;
        private Consumer<ChannelPipeline> tls = pipeline -> {};
        private Consumer<ChannelPipeline> handlers = pipeline -> {};
        private @Nullable ConnectionRequestListener requests;
        private @Nullable Integer maxSetups;
        private Consumer<QueuePair> onOpen = queuePair -> {};
        private BiConsumer<QueuePair, CloseReason> onClose = (queuePair, reason) -> {};

        private Server(ServerBootstrap bootstrap) {
            this.bootstrap = bootstrap;
        }

        /**
         * Sets the domain of the memory that peers may access, unless {@link ConnectionSetup#domain} says otherwise; by
         * default one without memory.
         */
        public Server domain(ProtectionDomain newDomain) {
            domain = Objects.requireNonNull(newDomain, "domain");
            return this;
        }

        /**
         * Sets the settings of the start-up, and of each queue pair unless {@link ConnectionSetup#settings} says
         * otherwise; {@link QueuePairSettings#DEFAULT} by default.
         */
        public Server settings(QueuePairSettings newSettings) {
            settings = Objects.requireNonNull(newSettings, "settings");
            return this;
        }

        /**
         * Sets the listener for the peers' messages, as {@link ConnectionSetup#onMessage} does for one connection.
         *
         * @param maxBytes the maximum length of a message, at least 1; a longer one ends the stream
         */
        public Server onMessage(int maxBytes, MessageListener listener) {
            ConnectionSetup.withMessages(QueuePairSettings.DEFAULT, maxBytes);
            messages = Objects.requireNonNull(listener, "listener");
            messageBytes = maxBytes;
            return this;
        }

        /**
         * Sets the maximum number of connections in set-up at a time, 1 to 1,048,576, default 16,384. Further
         * connections are closed at once. See {@link IwarpChannelInitializer#withMaxSetups}.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public Server maxSetups(int connections) {
            IwarpChannelInitializer.requireMaxSetups(connections);
            maxSetups = connections;
            return this;
        }

        /** Secures each connection. */
        public Server tls(SslContext server) {
            if (!Objects.requireNonNull(server, "server").isServer()) {
                throw new IllegalArgumentException(
                        "this SslContext is for clients: make one with SslContextBuilder.forServer");
            }
            tls = Tls.server(server);
            return this;
        }

        /**
         * Sets a function that adds transport handlers to each connection, between TLS and MPA, as
         * {@link IwarpChannelInitializer#withTransportHandlers} does; for example a capture.
         */
        public Server transportHandlers(Consumer<ChannelPipeline> newHandlers) {
            handlers = Objects.requireNonNull(newHandlers, "handlers");
            return this;
        }

        /**
         * Sets the listener that accepts or rejects connection requests. Without it, all are accepted if there is a
         * listener for messages.
         */
        public Server onRequest(ConnectionRequestListener listener) {
            requests = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * Sets what is called when a connection is established, on its event loop; it must not block. See also
         * {@link IwarpListener#queuePairs}.
         */
        public Server onOpen(Consumer<QueuePair> listener) {
            onOpen = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * Sets what is called when a connection that was established has ended, on its event loop; it must not block.
         */
        public Server onClose(BiConsumer<QueuePair, CloseReason> listener) {
            onClose = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** Starts to listen at all addresses of this host; see {@link #listen(SocketAddress)}. */
        public CompletableFuture<IwarpListener> listen(int port) {
            return listen(new InetSocketAddress(port));
        }

        /** Starts to listen; see {@link #listen(SocketAddress)}. The host name is resolved before the call returns. */
        public CompletableFuture<IwarpListener> listen(String host, int port) {
            return listen(new InetSocketAddress(Objects.requireNonNull(host, "host"), port));
        }

        /**
         * Starts to listen.
         *
         * @param address to bind; with port 0 the system chooses one, see {@link IwarpListener#localAddress}
         * @return completes on an event loop with the listener once the address is bound, or fails with a
         *     {@link java.net.BindException} that names the address. An event loop of the server's groups must not wait
         *     for it: {@code get} and {@code join} throw {@link io.netty.util.concurrent.BlockingOperationException}
         *     there.
         * @throws IllegalStateException if there is neither a listener for requests nor one for messages
         * @throws IllegalArgumentException if the settings have {@code managedReceiveBytes} beside {@link #onMessage},
         *     or {@link #onRequest} or {@link #maxSetups} is set with a pre-agreed start, which has no connection
         *     requests
         */
        public CompletableFuture<IwarpListener> listen(SocketAddress address) {
            Objects.requireNonNull(address, "address");
            return IwarpListener.listen(
                    bootstrap,
                    initializer().withTransportHandlers(tls.andThen(handlers)),
                    address,
                    new ConnectionGroup(onOpen, onClose));
        }

        private IwarpChannelInitializer initializer() {
            ProtectionDomain sharedDomain = domain == null ? ProtectionDomain.create() : domain;
            Consumer<ConnectionSetup> first = preparation(settings, messageBytes, messages);
            if (settings.mpa().start() == StartMode.REQUEST_REPLY) {
                IwarpChannelInitializer accepting =
                        IwarpChannelInitializer.accepting(sharedDomain, settings, first, requireRequestListener());
                return maxSetups == null ? accepting : accepting.withMaxSetups(maxSetups);
            }
            if (maxSetups != null) {
                throw new IllegalArgumentException("a pre-agreed start has no set-up that maxSetups could limit");
            }
            if (requests != null) {
                throw new IllegalArgumentException(
                        "a pre-agreed start has no connection requests to decide about: use onOpen instead of"
                                + " onRequest");
            }
            return IwarpChannelInitializer.connecting(sharedDomain, settings, first);
        }

        private ConnectionRequestListener requireRequestListener() {
            ConnectionRequestListener listener = requests;
            if (listener != null) {
                return listener;
            }
            if (messages == null) {
                throw new IllegalStateException(
                        "no listener for connection requests is set: set onRequest, or onMessage to accept all");
            }
            return ConnectionRequest::accept;
        }
    }

    /** Returns the set-up step that sets the listener for messages, if there is one. */
    private static Consumer<ConnectionSetup> preparation(
            QueuePairSettings settings, int maxBytes, @Nullable MessageListener messages) {
        if (messages == null) {
            return setup -> {};
        }
        ConnectionSetup.withMessages(settings, maxBytes);
        return setup -> setup.onMessage(maxBytes, messages);
    }

    /**
     * A client. Any thread may connect and shut down; one thread configures it before. It does not have to be closed.
     */
    public static final class Client {
        private final Bootstrap bootstrap;
        private @Nullable ProtectionDomain domain;
        private QueuePairSettings settings = QueuePairSettings.DEFAULT;
        private @Nullable MessageListener messages;
        private int messageBytes;
        private BiConsumer<ChannelPipeline, SocketAddress> tls = (pipeline, address) -> {};
        private Consumer<ChannelPipeline> handlers = pipeline -> {};
        private Consumer<ConnectionSetup> prepare = setup -> {};
        private boolean peerToPeer;
        private volatile @Nullable Connecting connecting;

        /** The configuration, which is fixed at the first connect. */
        private record Connecting(
                IwarpConnector connector,
                ProtectionDomain domain,
                QueuePairSettings settings,
                Consumer<ConnectionSetup> prepare) {}

        private Client(Bootstrap bootstrap) {
            this.bootstrap = bootstrap;
        }

        private void requireChangeable() {
            if (connecting != null) {
                throw new IllegalStateException("this client has connected: set it up before, or make another one");
            }
        }

        /**
         * Sets the domain of the memory that peers may access, unless {@link ConnectionSetup#domain} says otherwise; by
         * default one without memory.
         */
        public Client domain(ProtectionDomain newDomain) {
            requireChangeable();
            domain = Objects.requireNonNull(newDomain, "domain");
            return this;
        }

        /**
         * Sets the settings of each queue pair, unless {@link ConnectionSetup#settings} says otherwise;
         * {@link QueuePairSettings#DEFAULT} by default.
         */
        public Client settings(QueuePairSettings newSettings) {
            requireChangeable();
            settings = Objects.requireNonNull(newSettings, "settings");
            return this;
        }

        /** Requests the peer-to-peer model, in which either side may send first ({@link MpaSettings#peerToPeer}). */
        public Client peerToPeer() {
            requireChangeable();
            peerToPeer = true;
            return this;
        }

        /** Sets how long TCP may take to connect, 1 ms to 24 days; 30 s by default. */
        public Client connectTimeout(Duration time) {
            requireChangeable();
            long millis = time.toMillis();
            if (millis < 1 || millis > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("connectTimeout is " + time + " (expected: 1 ms to 24 days)");
            }
            bootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) millis);
            return this;
        }

        /**
         * Sets the listener for the peers' messages, as {@link ConnectionSetup#onMessage} does for one connection.
         *
         * @param maxBytes the maximum length of a message, at least 1; a longer one ends the stream
         */
        public Client onMessage(int maxBytes, MessageListener listener) {
            requireChangeable();
            ConnectionSetup.withMessages(QueuePairSettings.DEFAULT, maxBytes);
            messages = Objects.requireNonNull(listener, "listener");
            messageBytes = maxBytes;
            return this;
        }

        /**
         * Secures each connection. The server's certificate has to name the host that {@link #connect} is called with,
         * unless {@code SslContextBuilder.endpointIdentificationAlgorithm(null)} turned that off.
         */
        public Client tls(SslContext client) {
            requireChangeable();
            if (Objects.requireNonNull(client, "client").isServer()) {
                throw new IllegalArgumentException(
                        "this SslContext is for servers: make one with SslContextBuilder.forClient");
            }
            tls = Tls.client(client);
            return this;
        }

        /**
         * Sets a function that adds transport handlers to each connection, between TLS and MPA, as
         * {@link IwarpChannelInitializer#withTransportHandlers} does; for example a capture.
         */
        public Client transportHandlers(Consumer<ChannelPipeline> newHandlers) {
            requireChangeable();
            handlers = Objects.requireNonNull(newHandlers, "handlers");
            return this;
        }

        /**
         * Sets the callback that configures each connection before its request is sent. Called on the event loop; it
         * must not block. If it throws, the connect fails.
         */
        public Client prepare(Consumer<ConnectionSetup> newPrepare) {
            requireChangeable();
            prepare = Objects.requireNonNull(newPrepare, "prepare");
            return this;
        }

        /**
         * Connects; see {@link #connect(SocketAddress)}. An event loop resolves the host name.
         *
         * @param host a name or an address
         */
        public CompletableFuture<QueuePair> connect(String host, int port) {
            return connect(unresolved(host, port));
        }

        private static SocketAddress unresolved(String host, int port) {
            return InetSocketAddress.createUnresolved(Objects.requireNonNull(host, "host"), port);
        }

        /**
         * Connects. If the peer closes the connection on an enhanced connection request, as a peer does that supports
         * only revision 1 of MPA, the client makes a second connection with a plain request (RFC 6581 section 10), with
         * another {@link ConnectionSetup}.
         *
         * <p>The attempt is cancelled when the caller cancels or completes its future, for example with
         * {@link CompletableFuture#orTimeout}: its channel is closed, and {@link #connections} no longer counts it when
         * its stream has left the protection domain. Cancelling a derived future, for example of {@code thenApply},
         * does not cancel the attempt.
         *
         * @param address of the server, as the channel type takes it
         * @return completes on the event loop with the queue pair once requests may be sent. An event loop of the group
         *     must not wait for it: {@code get} and {@code join} throw
         *     {@link io.netty.util.concurrent.BlockingOperationException} there. Fails with a
         *     {@link io.iwarp.ConnectionClosedException}, which is a {@link io.iwarp.ConnectionRejectedException} if
         *     the peer rejects the request; also if the client was shut down. It fails only after the attempt is
         *     cleaned up: the queue pair's stream has left its protection domain, and actions chained earlier to its
         *     {@link QueuePair#closed} without {@code Async} have run. The domain may be closed immediately afterwards.
         */
        public CompletableFuture<QueuePair> connect(SocketAddress address) {
            return connecting().connector.connect(address);
        }

        /** Connects, with a further set-up step for this connection only; see {@link #connect(SocketAddress)}. */
        public CompletableFuture<QueuePair> connect(SocketAddress address, Consumer<ConnectionSetup> further) {
            Objects.requireNonNull(further, "further");
            Connecting current = connecting();
            return current.connector.connect(
                    address,
                    IwarpChannelInitializer.connecting(
                            current.domain, current.settings, current.prepare.andThen(further)));
        }

        /**
         * Stays connected; see {@link #stayConnected(SocketAddress, ReconnectListener)}. Each attempt resolves the host
         * name again.
         */
        @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
        public Reconnector stayConnected(String host, int port, ReconnectListener listener) {
            return stayConnected(unresolved(host, port), listener);
        }

        /**
         * Stays connected, with the pauses of {@link #stayConnected(SocketAddress, ReconnectListener, Duration,
         * Duration)}. Each attempt resolves the host name again.
         */
        @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
        public Reconnector stayConnected(
                String host, int port, ReconnectListener listener, Duration firstPause, Duration maxPause) {
            return stayConnected(unresolved(host, port), listener, firstPause, maxPause);
        }

        /**
         * Stays connected, with pauses of 100 ms to 30 s; see {@link #stayConnected(SocketAddress, ReconnectListener,
         * Duration, Duration)}.
         */
        @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
        public Reconnector stayConnected(SocketAddress address, ReconnectListener listener) {
            return stayConnected(address, listener, Duration.ofMillis(100), Duration.ofSeconds(30));
        }

        /**
         * Connects, and connects again after each end that may be retried.
         *
         * @param firstPause the pause before the second attempt, above 0
         * @param maxPause the longest pause, at least {@code firstPause}
         */
        @API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
        public Reconnector stayConnected(
                SocketAddress address, ReconnectListener listener, Duration firstPause, Duration maxPause) {
            Objects.requireNonNull(address, "address");
            Reconnector reconnector = new Reconnector(
                    () -> connecting().connector.attempt(address),
                    bootstrap.config().group(),
                    address,
                    Objects.requireNonNull(listener, "listener"),
                    firstPause,
                    maxPause);
            reconnector.connect();
            return reconnector;
        }

        private synchronized Connecting connecting() {
            Connecting current = connecting;
            if (current == null) {
                current = newConnecting();
                connecting = current;
            }
            return current;
        }

        private Connecting newConnecting() {
            ProtectionDomain sharedDomain = domain == null ? ProtectionDomain.create() : domain;
            QueuePairSettings current = peerToPeer
                    ? settings.toBuilder()
                            .mpa(settings.mpa().toBuilder()
                                    .enhanced(true)
                                    .peerToPeer(true)
                                    .build())
                            .build()
                    : settings;
            Consumer<ConnectionSetup> all =
                    preparation(current, messageBytes, messages).andThen(prepare);
            Consumer<ChannelPipeline> further = handlers;
            IwarpConnector connector = new IwarpConnector(
                    bootstrap,
                    IwarpChannelInitializer.connecting(sharedDomain, current, all),
                    tls.andThen((pipeline, address) -> further.accept(pipeline)));
            return new Connecting(connector, sharedDomain, current, all);
        }

        /**
         * Returns the number of connections, including attempts to connect and those whose channel is closed but whose
         * queue pair has not yet reported its end. It may change at any time.
         */
        public int connections() {
            Connecting current = connecting;
            return current == null ? 0 : current.connector.connections();
        }

        /**
         * Refuses further attempts to connect, which ends each {@link Reconnector}, cancels current attempts, whose
         * futures fail, and closes all connections gracefully: each sends its posted requests and the pending responses
         * to its peer, then closes its half. Connections that are still open at the deadline are aborted. May be called
         * again, with another deadline.
         *
         * @param deadline the time for the orderly close, not negative; 0 aborts at once
         * @return completes on an event loop when all connections are cleaned up: each channel is closed, each stream
         *     has left the protection domain, every request has completed, and actions chained earlier to
         *     {@link QueuePair#closed} without {@code Async} have run. The protection domain may be closed, and the
         *     event loop group shut down, immediately afterwards.
         */
        public CompletableFuture<Void> shutdownGracefully(Duration deadline) {
            return connecting().connector.shutdownGracefully(deadline);
        }

        @Override
        public String toString() {
            return "Iwarp.Client[" + connections() + " connections]";
        }
    }

    /** A separate class, since the TLS classes of Netty may be absent. */
    private static final class Tls {
        static Consumer<ChannelPipeline> server(SslContext context) {
            return pipeline ->
                    pipeline.addLast(context.newHandler(pipeline.channel().alloc()));
        }

        static BiConsumer<ChannelPipeline, SocketAddress> client(SslContext context) {
            return (pipeline, address) -> pipeline.addLast(
                    address instanceof InetSocketAddress server
                            ? context.newHandler(pipeline.channel().alloc(), server.getHostString(), server.getPort())
                            : context.newHandler(pipeline.channel().alloc()));
        }
    }
}
