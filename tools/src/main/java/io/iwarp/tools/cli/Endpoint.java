package io.iwarp.tools.cli;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.IwarpException;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.transport.ChannelTypes;
import io.iwarp.verbs.ConnectionRequestListener;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The endpoint of a command: event loops and a protection domain, to listen and connect. Its methods block. Do not call
 * them on an event loop.
 */
public final class Endpoint implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(Endpoint.class);
    private static final long PATIENCE_SECONDS = 60;
    private static final long SHUTDOWN_SECONDS = 5;

    private final EventLoops loops;
    private final EventLoopGroup group;
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final TransportHandlers transportHandlers;
    private final Closeable afterwards;

    /**
     * @param loops the event loops
     * @param transportHandlers adds the handlers between the socket and MPA to each pipeline
     * @param afterwards closed after this endpoint and all its channels
     */
    public Endpoint(EventLoops loops, TransportHandlers transportHandlers, Closeable afterwards) {
        this.loops = loops;
        this.group = loops.open();
        TransportHandlers remember = (pipeline, server) -> connections.add(pipeline.channel());
        this.transportHandlers = remember.then(transportHandlers);
        this.afterwards = afterwards;
    }

    public ProtectionDomain domain() {
        return domain;
    }

    /** Listens for connection requests. Rejects a request for which there is no memory. */
    public IwarpListener listen(SocketAddress address, QueuePairSettings settings, ConnectionRequestListener requests)
            throws IOException, InterruptedException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channelFactory(() -> loops.transport().serverChannel(address));
        return await(Iwarp.server(bootstrap)
                .domain(domain)
                .settings(settings)
                .transportHandlers(pipeline -> transportHandlers.addTo(pipeline, null))
                .onRequest(request -> {
                    try {
                        requests.onConnectionRequest(request);
                    } catch (OutOfMemoryError e) {
                        request.reject("the server has no memory for another client: try again later");
                        LOGGER.warn(
                                "{} was rejected: {}",
                                ListenOptions.addressText(request.remoteAddress()),
                                ErrorLines.describe(e));
                    }
                })
                .listen(address));
    }

    /**
     * Listens, prints where, and serves until Ctrl-C or until the service wants to end.
     *
     * @param service closed when it is over
     * @return the exit code of the service
     */
    public int serve(SocketAddress address, QueuePairSettings settings, Service service, Shutdown shutdown, Output out)
            throws IOException, InterruptedException {
        try (service;
                IwarpListener listener = listen(address, settings, service)) {
            out.line(ListenOptions.listening(listener));
            shutdown.await();
            return service.exitCode();
        }
    }

    /** Connects, and waits until requests flow. */
    public QueuePair connect(
            SocketAddress address, QueuePairSettings settings, byte[] privateData, Consumer<QueuePair> prepare)
            throws IOException, InterruptedException {
        try {
            return first(address, each -> awaitConnected(beginConnect(each, settings, privateData, prepare)));
        } catch (ConnectionRejectedException e) {
            throw e;
        } catch (ConnectionClosedException e) {
            LOGGER.debug("connecting to {} failed", address, e);
            throw new CommandFailedException("could not connect: " + ErrorLines.describeSetup(e));
        }
    }

    /** Connects to one address. */
    private interface Attempt<T> {
        T connect(SocketAddress address) throws IOException, InterruptedException;
    }

    /** Tries the addresses of the name that an address was resolved from, until one is connected. */
    private static <T> T first(SocketAddress address, Attempt<T> attempt) throws IOException, InterruptedException {
        try {
            return attempt.connect(address);
        } catch (ConnectException e) {
            for (SocketAddress other : otherAddresses(address)) {
                try {
                    return attempt.connect(other);
                } catch (ConnectException alsoRefused) {
                    e.addSuppressed(alsoRefused);
                }
            }
            throw e;
        }
    }

    private static QueuePair awaitConnected(CompletableFuture<QueuePair> connecting)
            throws IOException, InterruptedException {
        try {
            return await(connecting);
        } catch (ConnectionClosedException e) {
            IOException unconnected = ErrorLines.connectFailure(e);
            if (unconnected != null) {
                throw unconnected;
            }
            throw e;
        }
    }

    /** Returns the further addresses of the name that an address was resolved from. */
    private static List<? extends SocketAddress> otherAddresses(SocketAddress address) throws UnknownHostException {
        if (!(address instanceof InetSocketAddress ip)) {
            return List.of();
        }
        return Stream.of(InetAddress.getAllByName(ip.getHostString()))
                .filter(other -> !other.equals(ip.getAddress()))
                .map(other -> new InetSocketAddress(other, ip.getPort()))
                .toList();
    }

    /**
     * Connects a channel without MPA, and waits until TCP is connected.
     *
     * @param handlers between the socket and {@code last}; null for those of this endpoint
     * @throws ConnectException if nothing listens there, or no answer comes in time
     */
    public Channel connectChannel(
            SocketAddress address, @Nullable TransportHandlers handlers, ChannelHandler last, long timeoutMillis)
            throws IOException, InterruptedException {
        TransportHandlers between = handlers == null ? transportHandlers : handlers;
        return first(address, each -> {
            ChannelFuture connecting = new Bootstrap()
                    .group(group)
                    .channel(ChannelTypes.of(group).channel())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeoutMillis)
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            connections.add(channel);
                            between.addTo(channel.pipeline(), each);
                            channel.pipeline().addLast(last);
                        }
                    })
                    .connect(each)
                    .await();
            if (connecting.cause() != null) {
                throw failureOf(new ExecutionException(connecting.cause()));
            }
            return connecting.channel();
        });
    }

    /** Begins to connect. Any thread may call it; the future completes on the connection's event loop. */
    public CompletableFuture<QueuePair> beginConnect(
            SocketAddress address, QueuePairSettings settings, byte[] privateData, Consumer<QueuePair> prepare) {
        return Iwarp.client(group)
                .domain(domain)
                .settings(settings)
                .transportHandlers(pipeline -> transportHandlers.addTo(pipeline, address))
                .prepare(setup -> prepare.accept(setup.privateData(privateData).queuePair()))
                .connect(address);
    }

    /** Waits for the peer or the transport, at most a minute. */
    public static <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw failureOf(e);
        } catch (TimeoutException e) {
            throw noAnswer();
        }
    }

    /** Closes connections gracefully, and waits until they are closed: requests that were posted are sent before. */
    public static void close(Collection<QueuePair> queuePairs) throws IOException, InterruptedException {
        queuePairs.forEach(QueuePair::close);
        for (QueuePair queuePair : queuePairs) {
            await(queuePair.closed());
        }
    }

    /** Returns the cause of an {@link ExecutionException}, to be thrown. */
    public static IOException failureOf(ExecutionException failed) {
        Exception cause = causeOf(failed);
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return (IOException) cause;
    }

    /** Returns the cause as an IOException, {@link CommandFailedException} or {@link IwarpException}. */
    static Exception causeOf(ExecutionException failed) {
        return failed.getCause() instanceof Exception cause
                        && (cause instanceof IOException
                                || cause instanceof CommandFailedException
                                || cause instanceof IwarpException)
                ? cause
                : new IOException(failed.getCause());
    }

    /** The peer is connected, but silent. */
    public static CommandFailedException noAnswer() {
        return new CommandFailedException(
                "the other side did not answer for " + PATIENCE_SECONDS + " s: check its log, and try again");
    }

    /** How long a command waits for its peer, in seconds. */
    public static long patienceSeconds() {
        return PATIENCE_SECONDS;
    }

    /** Closes all connections immediately, and refuses new ones. */
    public void closeConnections() {
        connections.close().awaitUninterruptibly();
    }

    /** Closes all connections, waits for the event loops to end, then closes {@code afterwards}. */
    @Override
    public void close() throws IOException {
        // An event loop that shuts down without a quiet period may end before it has closed its channels.
        closeConnections();
        group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        afterwards.close();
        domain.close();
    }
}
