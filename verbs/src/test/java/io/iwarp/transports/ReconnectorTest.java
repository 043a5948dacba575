package io.iwarp.transports;

import static io.iwarp.transports.Server.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.RefusingPort;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.ReconnectListener;
import io.iwarp.verbs.Reconnector;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that connects again. */
class ReconnectorTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(1);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final Iwarp.Client client = Iwarp.client(group);
    private final BlockingQueue<QueuePair> connected = new LinkedBlockingQueue<>();
    private final BlockingQueue<CloseReason> reasons = new LinkedBlockingQueue<>();
    private final BlockingQueue<Duration> pauses = new LinkedBlockingQueue<>();

    private final ReconnectListener listener = new ReconnectListener() {
        @Override
        public void onConnected(QueuePair queuePair) {
            connected.add(queuePair);
        }

        @Override
        public void onDisconnected(CloseReason reason, @Nullable Duration pause) {
            reasons.add(reason);
            if (pause != null) {
                pauses.add(pause);
            }
        }
    };

    @AfterEach
    void close() throws Exception {
        group.shutdownGracefully(0, 20, TimeUnit.SECONDS).sync();
    }

    private static SocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @Test
    void connectsAgainUntilItIsRejected() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        IwarpListener server = await(Iwarp.server(group)
                .onRequest(request -> {
                    if (requests.incrementAndGet() == 4) {
                        request.reject("enough");
                    } else {
                        request.accept();
                    }
                })
                .onOpen(QueuePair::abort)
                .listen(anyPort()));
        Reconnector reconnector = client.stayConnected(server.localAddress(), listener, SHORT, SHORT);

        CloseReason last = await(reconnector.closed());

        assertThat(last.endedBy()).isEqualTo(EndedBy.PEER_REJECTED);
        assertThat(reasons).hasSize(4).endsWith(last);
        assertThat(reasons.stream().limit(3)).allMatch(CloseReason::mayRetry);
        assertThat(pauses).hasSize(3);
        assertThat(reconnector.queuePair()).isNull();
        await(client.shutdownGracefully(DEADLINE));
        await(server.shutdownGracefully(DEADLINE));
    }

    @Test
    void connectsToAServerThatStartsLater() throws Exception {
        RefusingPort port = new RefusingPort();
        SocketAddress address = port.address();
        Reconnector reconnector = client.stayConnected(address, listener, SHORT, Duration.ofMillis(20));
        CompletableFuture<QueuePair> next = reconnector.connected();
        List<Duration> first = List.of(take(pauses), take(pauses), take(pauses));
        port.close();
        IwarpListener server =
                await(Iwarp.server(group).onRequest(ConnectionRequest::accept).listen(address));

        QueuePair queuePair = take(connected);

        assertThat(await(next)).isSameAs(queuePair);
        assertThat(await(reconnector.connected())).isSameAs(queuePair);
        assertThat(reconnector.queuePair()).isSameAs(queuePair);
        assertThat(first.get(0)).isBetween(SHORT.dividedBy(2), SHORT);
        assertThat(first.get(2)).isBetween(SHORT.multipliedBy(2), SHORT.multipliedBy(4));
        reconnector.close();
        assertThat(await(reconnector.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThatThrownBy(() -> await(reconnector.connected()))
                .hasCauseInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("closed by the application");
        await(client.shutdownGracefully(DEADLINE));
        await(server.shutdownGracefully(DEADLINE));
        assertThat(connected).isEmpty();
    }

    @Test
    void afterAnEndTheNextQueuePairIsAwaited() throws Exception {
        BlockingQueue<QueuePair> opened = new LinkedBlockingQueue<>();
        IwarpListener server = await(Iwarp.server(group)
                .onRequest(ConnectionRequest::accept)
                .onOpen(opened::add)
                .listen(anyPort()));
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        Reconnector reconnector =
                client.stayConnected(address.getHostString(), address.getPort(), listener, SHORT, SHORT);
        QueuePair first = await(reconnector.connected());
        CompletableFuture<QueuePair> second = new CompletableFuture<>();
        first.receive(Unpooled.EMPTY_BUFFER)
                .whenComplete((flushed, failure) -> reconnector.connected().thenAccept(second::complete));

        take(opened).abort();

        assertThat(await(second)).isNotNull().isNotSameAs(first);
        reconnector.close();
        await(client.shutdownGracefully(DEADLINE));
        await(server.shutdownGracefully(DEADLINE));
    }

    @Test
    void reconnectLeavesAServerThatCloses() throws Exception {
        IwarpListener server =
                await(Iwarp.server(group).onRequest(ConnectionRequest::accept).listen(anyPort()));
        SocketAddress address = server.localAddress();
        Reconnector reconnector = client.stayConnected(address, listener, SHORT, SHORT);
        QueuePair first = await(reconnector.connected());
        CompletableFuture<Void> left = server.connectionsClosed();
        server.close();
        await(server.closed());
        assertThat(left).isNotDone();

        reconnector.reconnect();
        CompletableFuture<QueuePair> next = reconnector.connected();

        await(left);
        assertThat(server.connections()).isZero();
        assertThat(await(first.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        IwarpListener restarted =
                await(Iwarp.server(group).onRequest(ConnectionRequest::accept).listen(address));
        assertThat(await(next)).isNotSameAs(first);
        await(next).close(); // not to connect again
        assertThat(await(reconnector.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        reconnector.reconnect();
        await(restarted.shutdownGracefully(DEADLINE));
        await(restarted.connectionsClosed());
        await(client.shutdownGracefully(DEADLINE));
    }

    private static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
        T taken = queue.poll(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(taken).isNotNull();
        return taken;
    }

    @Test
    void domainMayBeClosedAfterAClosedAttempt() throws Exception {
        ProtectionDomain domain = ProtectionDomain.create();
        CompletableFuture<Void> domainClosed = new CompletableFuture<>();
        ReconnectListener closingDomain = new ReconnectListener() {
            @Override
            public void onConnected(QueuePair queuePair) {
                domainClosed.completeExceptionally(new AssertionError("connected to a silent server"));
            }

            @Override
            public void onDisconnected(CloseReason reason, @Nullable Duration pause) {
                try {
                    domain.close();
                    domainClosed.complete(null);
                } catch (IllegalStateException stillOpen) {
                    domainClosed.completeExceptionally(stillOpen);
                }
            }
        };
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Reconnector attempting =
                    Iwarp.client(group).domain(domain).stayConnected(silent.getLocalSocketAddress(), closingDomain);
            silent.accept();

            attempting.close();

            await(domainClosed);
            await(attempting.closed());
        }
    }

    @Test
    void closeEndsAnAttemptAndAPause() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Reconnector attempting = client.stayConnected(silent.getLocalSocketAddress(), listener);
            attempting.close();
            assertThat(await(attempting.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        }
        pauses.clear();
        Reconnector pausing = client.stayConnected(
                InetSocketAddress.createUnresolved("no.such.host.invalid", 1),
                listener,
                Duration.ofHours(1),
                Duration.ofHours(1));
        take(pauses);
        while (!pausing.closed().isDone()) {
            pausing.close(); // the pause begins after the listener was called
        }
        assertThat(await(pausing.closed()).endedBy()).isIn(EndedBy.LOCAL_APPLICATION, EndedBy.TRANSPORT);
        await(client.shutdownGracefully(DEADLINE));
        assertThat(await(client.stayConnected(anyPort(), listener).closed()).detail())
                .contains("this client was shut down");
        assertThatThrownBy(() -> client.stayConnected(anyPort(), listener, DEADLINE, SHORT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(connected).isEmpty();
    }
}
