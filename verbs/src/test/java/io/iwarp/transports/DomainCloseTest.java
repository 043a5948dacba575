package io.iwarp.transports;

import static io.iwarp.transports.Server.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A listener that is notified of the end may close the protection domain at once. The test closes it where the end is
 * reported, on the event loop, so that nothing that follows there can hide that it was reported too early.
 */
class DomainCloseTest {
    private static final int ROUNDS = 10;
    private static final int CONNECTIONS = 8;
    private static final Duration AGES = Duration.ofHours(1);
    private static final QueuePairSettings IMPATIENT = QueuePairSettings.builder()
            .mpa(MpaSettings.builder().startupTimeout(Duration.ofMillis(20)).build())
            .build();

    private final EventLoopGroup group = Transport.NIO.group(2);
    private final List<ServerSocket> sockets = new ArrayList<>();

    /** What an initiator may meet instead of a connection. */
    enum Obstacle {
        REFUSED,
        SILENT,
        SILENT_BELOW_TLS,
        GONE,
        GARBAGE,
        GARBAGE_BELOW_TLS,
        REJECTED,
        NOT_PREPARED
    }

    @AfterEach
    void close() throws Exception {
        group.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        for (ServerSocket socket : sockets) {
            socket.close();
        }
    }

    private ServerSocket serverSocket() throws IOException {
        ServerSocket socket = new ServerSocket(0, 2 * ROUNDS, InetAddress.getLoopbackAddress());
        sockets.add(socket);
        return socket;
    }

    /** A peer that takes every connection, says this and closes it. */
    private SocketAddress saying(String bytes) throws IOException {
        ServerSocket server = serverSocket();
        Thread peer = new Thread(() -> {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException over) {
                    assertThat(over).isNotNull();
                }
            }
        });
        peer.setDaemon(true);
        peer.start();
        return server.getLocalSocketAddress();
    }

    private SocketAddress of(Obstacle obstacle, ProtectionDomain responders) throws Exception {
        return switch (obstacle) {
            case REFUSED -> {
                try (ServerSocket refusing = serverSocket()) {
                    yield refusing.getLocalSocketAddress();
                }
            }
            case GONE -> saying("");
            case GARBAGE, GARBAGE_BELOW_TLS -> saying("HTTP/1.1 400 Bad Request\r\n\r\n");
            case REJECTED ->
                listen(serverBootstrap(), responders, ConnectionRequest::reject).localAddress();
            case SILENT, SILENT_BELOW_TLS, NOT_PREPARED -> serverSocket().getLocalSocketAddress();
        };
    }

    private IwarpListener listen(ServerBootstrap bootstrap, ProtectionDomain domain, Consumer<ConnectionRequest> decide)
            throws Exception {
        return await(Iwarp.server(bootstrap)
                .domain(domain)
                .onRequest(decide::accept)
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    }

    private ServerBootstrap serverBootstrap() {
        return new ServerBootstrap().group(group).channel(Transport.NIO.serverChannel());
    }

    private Iwarp.Client client(
            ProtectionDomain domain,
            QueuePairSettings settings,
            Consumer<ChannelPipeline> transport,
            Consumer<QueuePair> prepare) {
        return Iwarp.client(new Bootstrap().group(group).channel(Transport.NIO.clientChannel()))
                .domain(domain)
                .settings(settings)
                .prepare(setup -> prepare.accept(setup.queuePair()))
                .transportHandlers(transport);
    }

    /** For each queue pair memory of its own, which goes with it. */
    private static MemoryRegion regionUntilTheEnd(QueuePair queuePair) {
        MemoryRegion region = queuePair
                .region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, Long.BYTES)
                .rights(AccessRight.REMOTE_ATOMIC)
                .register();
        queuePair.closed().thenRun(region::close);
        return region;
    }

    @ParameterizedTest
    @EnumSource
    void domainMayBeClosedAfterAFailedConnect(Obstacle obstacle) throws Exception {
        ProtectionDomain responders = ProtectionDomain.create();
        SocketAddress address = of(obstacle, responders);
        boolean tls = obstacle == Obstacle.SILENT_BELOW_TLS || obstacle == Obstacle.GARBAGE_BELOW_TLS;
        boolean silent = obstacle == Obstacle.SILENT || obstacle == Obstacle.SILENT_BELOW_TLS;
        for (int i = 0; i < ROUNDS; i++) {
            ProtectionDomain domain = ProtectionDomain.create();
            CompletableFuture<QueuePair> connecting = client(
                            domain,
                            silent ? IMPATIENT : QueuePairSettings.DEFAULT,
                            (tls ? Security.TLS_1_3 : Security.NONE).initiator(),
                            queuePair -> {
                                regionUntilTheEnd(queuePair);
                                if (obstacle == Obstacle.NOT_PREPARED) {
                                    throw new AssertionError("not prepared");
                                }
                            })
                    .connect(address);
            Throwable why = await(connecting.handle((queuePair, failure) -> {
                domain.close();
                return failure;
            }));
            assertThat(why).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void behindTheShutdownOfABusyServer(boolean gracefully) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            ProtectionDomain domain = ProtectionDomain.create();
            ProtectionDomain initiators = ProtectionDomain.create();
            BlockingQueue<RemoteBuffer> numbers = new LinkedBlockingQueue<>();
            IwarpListener listener = listen(serverBootstrap(), domain, request -> {
                numbers.add(regionUntilTheEnd(request.queuePair()).remoteBuffer());
                request.accept();
            });
            List<QueuePair> queuePairs = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                QueuePair queuePair =
                        await(client(initiators, QueuePairSettings.DEFAULT, pipeline -> {}, unprepared -> {})
                                .connect(listener.localAddress()));
                queuePairs.add(queuePair);
                count(queuePair, numbers.remove());
            }
            await(listener.shutdownGracefully(gracefully ? AGES : Duration.ZERO).thenRun(domain::close));
            for (QueuePair queuePair : queuePairs) {
                await(queuePair.closed());
            }
            initiators.close();
        }
    }

    /** One more as soon as the last one has come back, until it is over. */
    private void count(QueuePair queuePair, RemoteBuffer number) {
        queuePair.fetchAdd(number, 1).whenComplete((Long before, Throwable failure) -> {
            if (failure == null) {
                count(queuePair, number);
            }
        });
    }

    @Test
    void behindAShutdownWithConnectionsInSetUp() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            ProtectionDomain domain = ProtectionDomain.create();
            BlockingQueue<ConnectionRequest> undecided = new LinkedBlockingQueue<>();
            IwarpListener listener = listen(serverBootstrap(), domain, request -> {
                regionUntilTheEnd(request.queuePair());
                undecided.add(request);
            });
            ProtectionDomain initiators = ProtectionDomain.create();
            List<CompletableFuture<QueuePair>> connecting = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                connecting.add(client(initiators, QueuePairSettings.DEFAULT, pipeline -> {}, unprepared -> {})
                        .connect(listener.localAddress()));
            }
            assertThat(undecided.poll(Server.PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .isNotNull();
            await(listener.shutdownGracefully(AGES).thenRun(domain::close));
            for (CompletableFuture<QueuePair> attempt : connecting) {
                assertThatThrownBy(() -> await(attempt)).isNotNull();
            }
            initiators.close();
        }
    }

    /** Then it has neither a stream nor a queue pair, and would get both after the domain was closed. */
    @Test
    void behindAShutdownWithAConnectionThatNoEventLoopHasTakenYet() throws Exception {
        ProtectionDomain domain = ProtectionDomain.create();
        EventLoopGroup busy = Transport.NIO.group(1);
        CountDownLatch idle = new CountDownLatch(1);
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        busy.execute(() -> {
            try {
                idle.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        IwarpListener listener = listen(
                new ServerBootstrap()
                        .group(group, busy)
                        .channel(Transport.NIO.serverChannel())
                        .handler(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object connection) {
                                ctx.fireChannelRead(connection);
                                accepted.complete(null);
                            }
                        }),
                domain,
                ConnectionRequest::accept);
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        try (Socket peer = new Socket(address.getAddress(), address.getPort())) {
            await(accepted);
            CompletableFuture<Void> down = listener.shutdownGracefully(AGES).thenRun(domain::close);
            await(listener.closed());
            assertThat(listener.connections()).isOne();
            assertThat(down).isNotDone();
            idle.countDown();
            await(down);
            assertThat(listener.connections()).isZero();
            assertThat(peer.getInputStream().read()).isEqualTo(-1);
        }
        busy.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
    }
}
