package io.iwarp.transports;

import static io.iwarp.transports.Server.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.BlockingOperationException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An attempt to connect that is no longer wanted, connectors that are shut down, and mistakes in listen and connect.
 */
class ConnectorTest {
    private static final Duration AGES = Duration.ofHours(1);
    private static final QueuePairSettings PATIENT = QueuePairSettings.builder()
            .mpa(MpaSettings.builder().startupTimeout(AGES).build())
            .build();
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final EventLoopGroup group = Transport.NIO.group(2);
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final BlockingQueue<QueuePair> prepared = new LinkedBlockingQueue<>();

    @AfterEach
    void close() throws Exception {
        group.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
    }

    private ServerBootstrap serverBootstrap() {
        return new ServerBootstrap().group(group).channel(Transport.NIO.serverChannel());
    }

    private Bootstrap bootstrap() {
        return new Bootstrap().group(group).channel(Transport.NIO.clientChannel());
    }

    private Iwarp.Client connector(QueuePairSettings settings, Security security) throws Exception {
        return Iwarp.client(bootstrap())
                .domain(domain)
                .settings(settings)
                .prepare(setup -> prepared.add(setup.queuePair()))
                .transportHandlers(security.initiator());
    }

    private IwarpListener listen() throws Exception {
        return await(Iwarp.server(serverBootstrap())
                .domain(domain)
                .settings(PATIENT)
                .onRequest(ConnectionRequest::accept)
                .listen(ANY_PORT));
    }

    /** How an application gives up. */
    enum GivingUp {
        CANCEL,
        TIMEOUT,
        SHUTDOWN
    }

    @ParameterizedTest
    @EnumSource
    void anAttemptThatIsGivenUpLeavesNothing(GivingUp how) throws Exception {
        for (Security security : List.of(Security.NONE, Security.TLS_1_3)) {
            try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Iwarp.Client connector = connector(PATIENT, security);
                CompletableFuture<QueuePair> connecting = connector.connect(silent.getLocalSocketAddress());
                QueuePair queuePair = prepared.poll(Server.PATIENCE_SECONDS, TimeUnit.SECONDS);
                CompletableFuture<?> givenUp = connecting;
                Class<? extends Exception> failure = switch (how) {
                    case CANCEL -> {
                        connecting.cancel(false);
                        yield CancellationException.class;
                    }
                    case TIMEOUT -> {
                        connecting.completeExceptionally(new TimeoutException("too long for me"));
                        yield TimeoutException.class;
                    }
                    case SHUTDOWN -> {
                        givenUp = connector.shutdownGracefully(AGES);
                        yield ConnectionClosedException.class;
                    }
                };
                CloseReason reason = await(queuePair.closed());
                assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
                assertThat(reason.detail()).contains("cancelled");
                assertThatThrownBy(() -> await(connecting))
                        .satisfiesAnyOf(
                                thrown -> assertThat(thrown).isInstanceOf(failure),
                                thrown -> assertThat(thrown).hasCauseInstanceOf(failure));
                // Each shutdown has a timer of its own.
                await(givenUp.handle((nothing, why) -> why));
                await(connector.shutdownGracefully(AGES));
                assertThat(connector.connections()).isZero();
            }
        }
        assertThat(Timers.of(group)).isZero();
        domain.close();
    }

    /**
     * It is the race between a shutdown, or a cancellation, and event loops that have not prepared the connection yet.
     */
    @Test
    void anAttemptThatIsGivenUpAtOnceLeavesNothing() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (int round = 0; round < 50; round++) {
                ProtectionDomain own = ProtectionDomain.create();
                Iwarp.Client connector = Iwarp.client(bootstrap()).domain(own).settings(PATIENT);
                CompletableFuture<QueuePair> connecting = connector.connect(silent.getLocalSocketAddress());
                if (round % 2 == 0) {
                    connecting.cancel(true);
                }
                await(connector.shutdownGracefully(AGES).thenRun(own::close));
                assertThat(connecting).isCompletedExceptionally();
            }
        }
    }

    @Test
    void aConnectorThatIsShutDownClosesItsConnectionsAndMakesNoMore() throws Exception {
        IwarpListener listener = listen();
        Iwarp.Client connector = connector(PATIENT, Security.NONE);
        List<QueuePair> connected = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            connected.add(await(connector.connect(listener.localAddress())));
        }
        assertThat(connector.connections()).isEqualTo(3);
        assertThat(connector).hasToString("Iwarp.Client[3 connections]");
        await(connector
                .shutdownGracefully(AGES)
                .thenRun(() -> assertThat(connected)
                        .allSatisfy(queuePair ->
                                assertThat(queuePair.channel().isOpen()).isFalse())));
        assertThat(connector.connections()).isZero();
        assertThatThrownBy(() -> await(connector.connect(listener.localAddress())))
                .cause()
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("shut down")
                .hasMessageContaining("make a new one");
        await(connector.shutdownGracefully(Duration.ZERO));
        assertThatThrownBy(() -> connector.shutdownGracefully(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("negative");
        await(listener.shutdownGracefully(AGES));
        domain.close();
    }

    @Test
    void anEventLoopMustNotWaitForAConnectionOrAListener() throws Exception {
        IwarpListener listener = listen();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<QueuePair> connecting =
                    connector(PATIENT, Security.NONE).connect(silent.getLocalSocketAddress());
            for (CompletableFuture<?> future :
                    List.of(connecting, connecting.thenAccept(queuePair -> {}), listener.closed())) {
                for (var loop : group) {
                    assertThatThrownBy(() -> loop.submit(future::join).get(Server.PATIENCE_SECONDS, TimeUnit.SECONDS))
                            .hasCauseInstanceOf(BlockingOperationException.class);
                }
            }
            connecting.cancel(false);
        }
        // The loop that waits is the one that binds, so the future cannot be done before.
        var loop = group.next();
        var waiting = loop.submit(() -> {
            CompletableFuture<IwarpListener> listening = Iwarp.server(
                            new ServerBootstrap().group(loop).channel(NioServerSocketChannel.class))
                    .domain(domain)
                    .settings(PATIENT)
                    .onRequest(ConnectionRequest::accept)
                    .listen(ANY_PORT);
            assertThatThrownBy(() -> listening.get(Server.PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(BlockingOperationException.class);
            return listening;
        });
        await(await(waiting.get(Server.PATIENCE_SECONDS, TimeUnit.SECONDS)).shutdownGracefully(AGES));
        await(listener.shutdownGracefully(AGES));
    }

    /** Netty completes such a future, but tells no listener, since the event loop that should do it is gone. */
    @ParameterizedTest
    @MethodSource("transports")
    void nothingIsMadeOnEventLoopsThatHaveTerminated(Transport transport) throws Exception {
        EventLoopGroup gone = transport.group(1);
        gone.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        Iwarp.Client connector = Iwarp.client(new Bootstrap().group(gone).channel(transport.clientChannel()))
                .domain(domain)
                .settings(PATIENT);
        CompletableFuture<QueuePair> connecting =
                connector.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        CompletableFuture<IwarpListener> listening = Iwarp.server(
                        new ServerBootstrap().group(gone).channel(transport.serverChannel()))
                .domain(domain)
                .settings(PATIENT)
                .onRequest(ConnectionRequest::accept)
                .listen(ANY_PORT);
        for (CompletableFuture<?> future : List.of(connecting, listening)) {
            assertThatThrownBy(() -> await(future)).hasRootCauseInstanceOf(RejectedExecutionException.class);
        }
        await(connector.shutdownGracefully(AGES));
        domain.close();
    }

    /** It is the race of a reconnect with the shutdown of its event loops. */
    @Test
    void aConnectThatRacesTheEndOfItsEventLoopCompletes() throws Exception {
        IwarpListener listener = listen();
        for (int round = 0; round < 100; round++) {
            EventLoopGroup own = Transport.NIO.group(1);
            ProtectionDomain initiators = ProtectionDomain.create();
            Iwarp.Client connector = Iwarp.client(new Bootstrap().group(own).channel(Transport.NIO.clientChannel()))
                    .domain(initiators)
                    .settings(PATIENT);
            await(connector.connect(listener.localAddress()));
            own.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS);
            Throwable why = await(connector.connect(listener.localAddress()).handle((queuePair, failure) -> failure));
            await(connector.shutdownGracefully(AGES));
            assertThat(why).isNotNull();
            assertThat(connector.connections()).isZero();
            initiators.close();
        }
        await(listener.shutdownGracefully(AGES));
    }

    @Test
    void anAddressThatIsMissingIsRefusedAtTheCall() throws Exception {
        Iwarp.Client connector = connector(PATIENT, Security.NONE);
        assertThatThrownBy(() -> connector.connect(null)).isInstanceOf(NullPointerException.class);
        await(connector.shutdownGracefully(AGES));
    }

    @Test
    void aListenThatIsGivenUpFreesItsAddress() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        EventLoopGroup own = Transport.NIO.group(1);
        own.submit(() -> waiting.await(Server.PATIENCE_SECONDS, TimeUnit.SECONDS));
        BlockingQueue<Channel> bound = new LinkedBlockingQueue<>();
        CompletableFuture<IwarpListener> listening = Iwarp.server(
                        new ServerBootstrap().group(own).channelFactory(() -> {
                            NioServerSocketChannel channel = new NioServerSocketChannel();
                            bound.add(channel);
                            return channel;
                        }))
                .domain(domain)
                .settings(PATIENT)
                .onRequest(ConnectionRequest::accept)
                .listen(ANY_PORT);
        listening.cancel(false);
        waiting.countDown();
        assertThat(bound.remove().closeFuture().await(Server.PATIENCE_SECONDS, TimeUnit.SECONDS))
                .isTrue();
        own.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
    }

    @Test
    void preAgreedServersHaveNoRequests() throws Exception {
        QueuePairSettings preAgreed = QueuePairSettings.builder()
                .mpa(MpaSettings.builder().start(StartMode.PREAGREED).build())
                .build();
        assertThatThrownBy(() -> Iwarp.server(group)
                        .settings(preAgreed)
                        .onRequest(ConnectionRequest::accept)
                        .listen(ANY_PORT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no connection requests");
        await(await(Iwarp.server(serverBootstrap())
                        .domain(domain)
                        .settings(preAgreed)
                        .listen(ANY_PORT))
                .shutdownGracefully(AGES));
    }

    static Stream<Transport> transports() {
        return Stream.of(Transport.NIO, Transport.EPOLL, Transport.IO_URING)
                .filter(transport -> transport.unavailabilityCause() == null);
    }

    @ParameterizedTest
    @MethodSource("transports")
    void anAddressThatIsInUseIsNamed(Transport transport) throws Exception {
        EventLoopGroup own = transport.group(1);
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() ->
                            await(Iwarp.server(new ServerBootstrap().group(own).channel(transport.serverChannel()))
                                    .domain(domain)
                                    .settings(PATIENT)
                                    .onRequest(ConnectionRequest::accept)
                                    .listen(taken.getLocalSocketAddress())))
                    .cause()
                    .isInstanceOf(BindException.class)
                    .hasMessageStartingWith("cannot listen at " + taken.getLocalSocketAddress() + ": ")
                    .hasMessageContaining("Address already in use");
        } finally {
            own.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        }
    }
}
