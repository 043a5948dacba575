package io.iwarp.verbs;

import io.iwarp.memory.ProtectionDomain;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
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
import org.jspecify.annotations.Nullable;

/**
 * The entrance: servers and clients on an event loop group of the caller. The group decides about the transport, for
 * example NIO or epoll.
 *
 * <pre>{@code
 * Iwarp.server(group).domain(domain).onRequest(request -> request.accept(region)).listen(7471).join();
 *
 * QueuePair queuePair = Iwarp.client(group).connect("db1", 7471).join();
 * RemoteBuffer there = queuePair.remoteBuffer();
 * queuePair.write(source, there).join();
 * }</pre>
 *
 * <p>It is written with {@link IwarpListener}, {@link IwarpConnector} and {@link IwarpChannelInitializer}. Use these to
 * set options of the channels, or to add handlers to their pipelines.
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
        return new Server(group);
    }

    /**
     * Returns a client. Make one for each kind of connection, and connect with it as often as needed.
     *
     * @param group runs the connections; the caller shuts it down
     * @throws IllegalArgumentException if the channel type for the group is not known
     */
    public static Client client(EventLoopGroup group) {
        return new Client(group);
    }

    /**
     * What servers and clients have in common.
     *
     * @param <T> the type that the methods return
     */
    public abstract static sealed class End<T extends End<T>> permits Server, Client {
        final EventLoopGroup group;
        final ChannelTypes types;
        private @Nullable ProtectionDomain domain;
        private QueuePairSettings settings = QueuePairSettings.DEFAULT;
        private @Nullable MessageListener messages;
        private int messageBytes;
        private Consumer<ChannelPipeline> handlers = pipeline -> {};

        private BiConsumer<ChannelPipeline, SocketAddress> tls = (pipeline, address) -> {};

        private End(EventLoopGroup group) {
            this.group = group;
            this.types = ChannelTypes.of(group);
        }

        abstract T self();

        /** Called by each setter; a server may be changed at any time, since {@code listen} copies what is set. */
        void requireChangeable() {}

        /** Sets the domain of the memory that peers may access; by default one without memory. */
        public T domain(ProtectionDomain newDomain) {
            requireChangeable();
            domain = Objects.requireNonNull(newDomain, "domain");
            return self();
        }

        /** Sets the settings of each queue pair; {@link QueuePairSettings#DEFAULT} by default. */
        public T settings(QueuePairSettings newSettings) {
            requireChangeable();
            settings = Objects.requireNonNull(newSettings, "settings");
            return self();
        }

        /**
         * Sets the listener for the peers' messages. The queue pairs then take their receives from an allocator
         * ({@link QueuePairSettings#managedReceiveBytes}). They accept no {@link QueuePair#completionListener}: use the
         * posts that return a future.
         *
         * @param maxBytes the maximum length of a message, at least 1; a longer one ends the stream
         */
        public T onMessage(int maxBytes, MessageListener listener) {
            requireChangeable();
            if (maxBytes < 1) {
                throw new IllegalArgumentException(
                        "maxBytes " + maxBytes + " is less than 1: give the length of the longest message");
            }
            messages = Objects.requireNonNull(listener, "listener");
            messageBytes = maxBytes;
            return self();
        }

        /**
         * Sets what adds transport handlers to each connection, between TLS and MPA, as
         * {@link IwarpChannelInitializer#withTransportHandlers} does; for example a capture.
         */
        public T transportHandlers(Consumer<ChannelPipeline> newHandlers) {
            requireChangeable();
            handlers = Objects.requireNonNull(newHandlers, "handlers");
            return self();
        }

        final void secureWith(BiConsumer<ChannelPipeline, SocketAddress> newTls) {
            tls = newTls;
        }

        /** Returns what adds TLS, if it is set, and further handlers to a connection with an address. */
        final BiConsumer<ChannelPipeline, SocketAddress> handlers() {
            Consumer<ChannelPipeline> further = handlers;
            return tls.andThen((pipeline, address) -> further.accept(pipeline));
        }

        final ProtectionDomain domainOrNew() {
            ProtectionDomain current = domain;
            return current == null ? ProtectionDomain.create() : current;
        }

        final QueuePairSettings settings() {
            return messages == null
                    ? settings
                    : settings.toBuilder().managedReceiveBytes(messageBytes).build();
        }

        final boolean hasMessages() {
            return messages != null;
        }

        /** Returns what makes a queue pair listen for messages, if somebody wants them. */
        final Consumer<QueuePair> listening() {
            MessageListener listener = messages;
            return listener == null ? queuePair -> {} : queuePair -> queuePair.messageListener(listener);
        }
    }

    /** A server that is being set up. */
    public static final class Server extends End<Server> {
        private @Nullable ConnectionRequestListener requests;

        private Server(EventLoopGroup group) {
            super(group);
        }

        @Override
        Server self() {
            return this;
        }

        /** Secures each connection. */
        public Server tls(SslContext server) {
            if (!server.isServer()) {
                throw new IllegalArgumentException(
                        "this SslContext is for clients: make one with SslContextBuilder.forServer");
            }
            secureWith(Tls.server(server));
            return this;
        }

        /**
         * Sets who decides about connection requests. Without it, all are accepted if there is a listener for messages.
         */
        public Server onRequest(ConnectionRequestListener listener) {
            requests = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** As {@link #listen(SocketAddress)}, at all addresses of this machine. */
        public CompletableFuture<IwarpListener> listen(int port) {
            return listen(new InetSocketAddress(port));
        }

        /** As {@link #listen(SocketAddress)}. The name of the host is resolved before the call returns. */
        public CompletableFuture<IwarpListener> listen(String host, int port) {
            return listen(new InetSocketAddress(host, port));
        }

        /**
         * Starts to listen.
         *
         * @param address with port 0 the system chooses one, see {@link IwarpListener#localAddress}
         * @return as {@link IwarpListener#listen}
         * @throws IllegalStateException if there is neither a listener for requests nor one for messages
         */
        public CompletableFuture<IwarpListener> listen(SocketAddress address) {
            ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(types.serverChannel());
            ConnectionRequestListener decides = decider();
            Consumer<QueuePair> listening = listening();
            IwarpChannelInitializer initializer =
                    IwarpChannelInitializer.responder(domainOrNew(), settings(), request -> {
                        listening.accept(request.queuePair());
                        decides.onConnectionRequest(request);
                    });
            BiConsumer<ChannelPipeline, SocketAddress> handlers = handlers();
            return IwarpListener.listen(
                    bootstrap,
                    initializer.withTransportHandlers(pipeline -> handlers.accept(pipeline, address)),
                    address);
        }

        private ConnectionRequestListener decider() {
            ConnectionRequestListener decides = requests;
            if (decides != null) {
                return decides;
            }
            if (!hasMessages()) {
                throw new IllegalStateException(
                        "nobody decides about connection requests: set onRequest, or onMessage to accept all");
            }
            return ConnectionRequest::accept;
        }
    }

    /** Connects. Any thread may connect and shut down; one thread sets it up before. */
    public static final class Client extends End<Client> {
        private byte[] privateData = {};
        private Consumer<QueuePair> prepare = queuePair -> {};
        private volatile @Nullable IwarpConnector connector;

        private Client(EventLoopGroup group) {
            super(group);
        }

        @Override
        Client self() {
            return this;
        }

        @Override
        void requireChangeable() {
            if (connector != null) {
                throw new IllegalStateException("this client has connected: set it up before, or make another one");
            }
        }

        /**
         * Secures each connection. The server's certificate has to name the host that {@link #connect} is called with,
         * unless {@code SslContextBuilder.endpointIdentificationAlgorithm(null)} turned that off.
         */
        public Client tls(SslContext client) {
            requireChangeable();
            if (client.isServer()) {
                throw new IllegalArgumentException(
                        "this SslContext is for servers: make one with SslContextBuilder.forClient");
            }
            secureWith(Tls.client(client));
            return this;
        }

        /** Sets what the server gets with each connection request, 0 to 512 bytes; by default nothing. */
        public Client privateData(byte[] bytes) {
            requireChangeable();
            privateData = bytes.clone();
            return this;
        }

        /** Sets what is called with each queue pair before it connects, to set listeners and to post receives. */
        public Client prepare(Consumer<QueuePair> newPrepare) {
            requireChangeable();
            prepare = Objects.requireNonNull(newPrepare, "prepare");
            return this;
        }

        /**
         * As {@link #connect(SocketAddress)}. An event loop resolves the name of the host.
         *
         * @param host a name or an address
         */
        public CompletableFuture<QueuePair> connect(String host, int port) {
            return connect(InetSocketAddress.createUnresolved(host, port));
        }

        /**
         * Connects.
         *
         * @return as {@link IwarpConnector#connect}
         * @throws IllegalStateException if the client was shut down
         */
        public CompletableFuture<QueuePair> connect(SocketAddress address) {
            return connector().connect(address);
        }

        private synchronized IwarpConnector connector() {
            IwarpConnector current = connector;
            if (current == null) {
                current = newConnector();
                connector = current;
            }
            return current;
        }

        private IwarpConnector newConnector() {
            Consumer<QueuePair> first = listening().andThen(prepare);
            IwarpChannelInitializer initializer =
                    IwarpChannelInitializer.initiator(domainOrNew(), settings(), privateData, first);
            Bootstrap bootstrap = new Bootstrap().group(group).channel(types.channel());
            return new IwarpConnector(bootstrap, initializer, handlers());
        }

        /** As {@link IwarpConnector#connections}. */
        public int connections() {
            IwarpConnector current = connector;
            return current == null ? 0 : current.connections();
        }

        /** As {@link IwarpConnector#shutdownGracefully}. */
        public CompletableFuture<Void> shutdownGracefully(Duration deadline) {
            return connector().shutdownGracefully(deadline);
        }
    }

    /** A class of its own, since Netty's classes for TLS need not be there. */
    private static final class Tls {
        static BiConsumer<ChannelPipeline, SocketAddress> server(SslContext context) {
            return (pipeline, address) ->
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
