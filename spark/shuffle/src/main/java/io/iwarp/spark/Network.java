package io.iwarp.spark;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.transport.ChannelTypes;
import io.iwarp.verbs.ConnectionRequestListener;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loops of an executor, its listener, and its connections to others. */
final class Network {
    private static final Logger LOGGER = LoggerFactory.getLogger(Network.class);
    private static final Duration MAX_SETUP = Duration.ofSeconds(20);
    private static final Duration GRACEFUL_CLOSE = Duration.ofSeconds(2);
    private static final Duration ABORT = Duration.ofSeconds(5);

    private final ShuffleSettings settings;
    private final ProtectionDomain domain;
    private final @Nullable Tls tls;
    private final EventLoopGroup group;
    private final Duration setup;
    /** One for each connection, because a TLS context verifies one executor. */
    private final Set<Iwarp.Client> clients = ConcurrentHashMap.newKeySet();

    private @Nullable IwarpListener listener;
    /** Written before the clients are ended. A client that is added later sees it, and is ended by its thread. */
    private volatile boolean closed;

    /** @param tls null for connections without TLS */
    Network(ShuffleSettings settings, ProtectionDomain domain, @Nullable Tls tls) {
        this.settings = settings;
        this.domain = domain;
        this.tls = tls;
        this.group = Transport.named(settings.transport()).group(settings.threads());
        this.setup = settings.timeout().compareTo(MAX_SETUP) < 0 ? settings.timeout() : MAX_SETUP;
    }

    /**
     * Listens for peers.
     *
     * @param setupFailures gets the address of a peer that sent no valid request, and what happened
     * @return the port
     * @throws IOException if the address cannot be bound
     */
    int listen(String host, ConnectionRequestListener requests, BiConsumer<SocketAddress, String> setupFailures)
            throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(ChannelTypes.of(group).serverChannel())
                .childOption(ChannelOption.SO_KEEPALIVE, true);
        Iwarp.Server server = Iwarp.server(bootstrap)
                .domain(domain)
                .settings(queuePairSettings())
                .onRequest(requests)
                .transportHandlers(pipeline -> {
                    if (tls != null) {
                        tls.addServer(pipeline);
                    }
                    SocketAddress peer = pipeline.channel().remoteAddress();
                    pipeline.addLast(new SetupFailureHandler(reason -> {
                        if (!closed) {
                            setupFailures.accept(peer, reason);
                        }
                    }));
                });
        try {
            IwarpListener bound =
                    server.listen(new InetSocketAddress(host, settings.port())).get();
            listener = bound;
            return ((InetSocketAddress) bound.localAddress()).getPort();
        } catch (ExecutionException e) {
            throw new IOException(
                    "cannot listen at " + host + ":" + settings.port() + ": " + e.getMessage() + "; set "
                            + ShuffleSettings.PREFIX + "bindAddress to an address of this host, and "
                            + ShuffleSettings.PREFIX + "port to a port that is not in use, or to 0",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted before the address was bound", e);
        }
    }

    /**
     * Connects to an executor.
     *
     * @param request the private data of the request
     * @throws IllegalArgumentException if this executor uses TLS, and the address has no fingerprint
     */
    CompletableFuture<QueuePair> connect(PeerAddress address, byte[] request) {
        Iwarp.Client client = client(address, request);
        clients.add(client);
        CompletableFuture<QueuePair> connected = client.connect(new InetSocketAddress(address.host(), address.port()));
        connected.whenComplete((queuePair, failure) -> {
            if (failure == null) {
                queuePair.closed().thenRun(() -> clients.remove(client));
            } else {
                clients.remove(client);
            }
        });
        if (closed) {
            client.shutdownGracefully(Duration.ZERO);
        }
        return connected;
    }

    private Iwarp.Client client(PeerAddress address, byte[] request) {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(ChannelTypes.of(group).channel())
                .option(ChannelOption.SO_KEEPALIVE, true);
        Iwarp.Client client = Iwarp.client(bootstrap)
                .domain(domain)
                .settings(queuePairSettings())
                .connectTimeout(setup)
                .prepare(connection -> connection.privateData(request));
        if (tls != null) {
            SslContext context = tls.client(address.fingerprint());
            client.transportHandlers(pipeline -> Tls.add(context, pipeline));
        }
        return client;
    }

    private QueuePairSettings queuePairSettings() {
        return QueuePairSettings.builder()
                .sendQueueDepth(settings.outstandingReads())
                .receiveQueueDepth(1)
                .mpa(MpaSettings.builder()
                        // TLS checks each byte by itself.
                        .crc(settings.crc() && tls == null)
                        .ird(settings.outstandingReads())
                        .ord(settings.outstandingReads())
                        .startupTimeout(setup)
                        .build())
                .responseTimeout(settings.timeout())
                .build();
    }

    /** Runs a task later, or never if the executor has ended by then. */
    void later(Duration delay, Runnable task) {
        try {
            group.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ended) {
            LOGGER.debug("The executor has ended", ended);
        }
    }

    /** Ends all connections at the same time, and waits for their end. */
    void close() {
        closed = true;
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        IwarpListener listening = listener;
        if (listening != null) {
            ends.add(listening.shutdownGracefully(GRACEFUL_CLOSE));
        }
        clients.forEach(client -> ends.add(client.shutdownGracefully(GRACEFUL_CLOSE)));
        await(CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0])));
    }

    /** Ends the event loops. Call it last: scheduled tasks do not run. */
    void terminate() {
        group.shutdownGracefully(0, ABORT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void await(CompletableFuture<Void> end) {
        try {
            end.get(ABORT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOGGER.warn("Connections did not close gracefully", e);
        }
    }
}
