package io.iwarp.transports;

import static io.iwarp.transports.Server.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.LogCapture;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What this side ends without the queue pair is not blamed on the peer, and the cause is kept. */
class EndedHereTest {
    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp", Level.ERROR);

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final BlockingQueue<QueuePair> prepared = new LinkedBlockingQueue<>();
    private final EventLoopGroup group = Transport.NIO.group(1);

    @AfterEach
    void shutDown() throws Exception {
        group.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        domain.close();
    }

    private Iwarp.Client client(Transport transport, EventLoopGroup loops, Consumer<ChannelPipeline> handlers) {
        return Iwarp.client(new Bootstrap().group(loops).channel(transport.clientChannel()))
                .domain(domain)
                .prepare(setup -> prepared.add(setup.queuePair()))
                .transportHandlers(handlers);
    }

    private static void isOurs(CloseReason reason, String why) {
        assertThat(reason.endedBy()).as(reason.toString()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(reason.detail()).contains(why);
    }

    static Stream<Transport> transports() {
        return Stream.of(Transport.NIO, Transport.EPOLL, Transport.IO_URING, Transport.LOCAL)
                .filter(transport -> transport.unavailabilityCause() == null);
    }

    @ParameterizedTest
    @MethodSource("transports")
    void aCloseOfTheChannel(Transport transport) throws Exception {
        Server server = new Server(transport, QueuePairSettings.DEFAULT, pipeline -> {}, ConnectionRequest::accept);
        QueuePair initiator = await(server.connect(pipeline -> {}));
        initiator.channel().close();
        isOurs(await(initiator.closed()), "the application closed the channel");
        assertThat(await(server.nextEnd()).endedBy()).isIn(EndedBy.PEER_CLOSED, EndedBy.TRANSPORT);
        server.close();
    }

    @ParameterizedTest
    @MethodSource("transports")
    void aShutdownOfTheEventLoop(Transport transport) throws Exception {
        Server server = new Server(transport, QueuePairSettings.DEFAULT, pipeline -> {}, ConnectionRequest::accept);
        EventLoopGroup own = transport.group(1);
        QueuePair initiator = await(client(transport, own, pipeline -> {}).connect(server.address()));
        own.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        isOurs(await(initiator.closed()), "event loop of the connection was shut down");
        assertThat(await(server.nextEnd()).endedBy()).isIn(EndedBy.PEER_CLOSED, EndedBy.TRANSPORT);
        server.close();
    }

    @Test
    void aShutdownOfTheEventLoopDuringTheSetUp() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            EventLoopGroup own = Transport.NIO.group(1);
            CompletableFuture<QueuePair> connecting =
                    client(Transport.NIO, own, pipeline -> {}).connect(silent.getLocalSocketAddress());
            silent.accept();
            own.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
            assertThat(failureOf(connecting))
                    .isInstanceOfSatisfying(
                            ConnectionClosedException.class, ended -> isOurs(ended.reason(), "event loop"));
        }
    }

    @Test
    void aTransportHandlerThatFailsIsTheCause() throws Exception {
        IOException noKeys = new IOException("no keys");
        CompletableFuture<QueuePair> connecting = client(Transport.NIO, group, pipeline -> raise(noKeys))
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        assertThat(failureOf(connecting)).isInstanceOfSatisfying(ConnectionClosedException.class, ended -> {
            isOurs(ended.reason(), "no keys");
            assertThat(ended.reason().cause()).isSameAs(noKeys);
        });
    }

    @Test
    void aClosedDomainIsTheCause() throws Exception {
        domain.close();
        CompletableFuture<QueuePair> connecting = client(Transport.NIO, group, pipeline -> {})
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        assertThat(failureOf(connecting)).isInstanceOfSatisfying(ConnectionClosedException.class, ended -> {
            isOurs(ended.reason(), "the protection domain was closed");
            assertThat(ended.reason().cause()).isInstanceOf(IllegalStateException.class);
        });
    }

    private static Throwable failureOf(CompletableFuture<QueuePair> connecting) throws Exception {
        return await(connecting.handle((queuePair, failure) -> failure));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
