package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.Role;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.metrics.IwarpMetrics;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.util.concurrent.EventExecutor;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An event loop that ends without closing its channels, as one may that is shut down without a quiet period. */
class LoopTerminationTest {
    private final EventLoopGroup servers = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    private final EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, (IoHandlerFactory)
            executor -> leavingOpen(LocalIoHandler.newFactory().newHandler(executor)));
    private final ProtectionDomain domain = ProtectionDomain.create();

    /** Closes no channel at the end of its loop. */
    private static IoHandler leavingOpen(IoHandler handler) {
        return (IoHandler) Proxy.newProxyInstance(
                IoHandler.class.getClassLoader(),
                new Class<?>[] {IoHandler.class},
                (proxy, method, arguments) ->
                        method.getName().equals("prepareToDestroy") ? null : method.invoke(handler, arguments));
    }

    @AfterEach
    void shutDown() throws InterruptedException {
        clients.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        servers.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    @Test
    void whatWasPostedCompletesWhenTheLoopIsGone() throws Exception {
        QueuePair queuePair = connect();
        CompletableFuture<Completion> receive = queuePair.receive(Unpooled.buffer(8, 8));

        clients.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();

        ExecutionException failure =
                catchThrowableOfType(ExecutionException.class, () -> receive.get(60, TimeUnit.SECONDS));
        assertThat(failure).hasCauseInstanceOf(ConnectionClosedException.class);
        assertThat(queuePair.closed().get(60, TimeUnit.SECONDS))
                .satisfies(reason -> assertThat(reason.endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION))
                .satisfies(reason -> assertThat(reason.detail()).contains("event loop"));
        assertThat(queuePair.state()).isGreaterThan(ConnectionState.READY);
    }

    /** Connectors, listeners and gauges hear of the end of the channels, which the loop does not close. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theOwnersOfTheConnectionsAreToldAsWell(boolean ofTheListener) throws Exception {
        IwarpMetrics metrics = IwarpMetrics.create(domain.device());
        QueuePairSettings settings =
                QueuePairSettings.builder().metrics(metrics).build();
        EventLoopGroup ending = clients;
        EventLoopGroup staying = servers;
        IwarpListener listener = IwarpListener.listen(
                        new ServerBootstrap()
                                .group(ofTheListener ? ending : staying)
                                .channel(LocalServerChannel.class),
                        IwarpChannelInitializer.responder(
                                domain,
                                ofTheListener ? settings : QueuePairSettings.DEFAULT,
                                ConnectionRequest::accept),
                        new LocalAddress(LoopTerminationTest.class))
                .get();
        IwarpConnector connector = new IwarpConnector(
                new Bootstrap().group(ofTheListener ? staying : ending).channel(LocalChannel.class),
                IwarpChannelInitializer.initiator(domain, ofTheListener ? QueuePairSettings.DEFAULT : settings));
        List<QueuePair> queuePairs = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            queuePairs.add(connector.connect(listener.localAddress()).get());
        }

        ending.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();

        Loopback.await(listener.shutdownGracefully(Duration.ofHours(1)));
        Loopback.await(connector.shutdownGracefully(Duration.ofHours(1)));
        assertThat(listener.connections()).isZero();
        assertThat(connector.connections()).isZero();
        for (QueuePair queuePair : queuePairs) {
            assertThat(queuePair.channel().isOpen()).isFalse();
        }
        for (ConnectionState state : ConnectionState.values()) {
            assertThat(metrics.connections(ofTheListener ? Role.RESPONDER : Role.INITIATOR, state))
                    .isZero();
        }
        domain.close();
    }

    /** Netty's own loop, which leaves its channels open when it always has something else to do. */
    @Test
    void aBusyLoopClosesItsChannels() throws Exception {
        EventLoopGroup busy = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        IwarpListener listener = IwarpListener.listen(
                        new ServerBootstrap().group(busy).channel(NioServerSocketChannel.class),
                        IwarpChannelInitializer.responder(domain, ConnectionRequest::accept),
                        anyPort)
                .get();
        IwarpConnector connector = new IwarpConnector(
                new Bootstrap().group(busy).channel(NioSocketChannel.class), IwarpChannelInitializer.initiator(domain));
        List<QueuePair> queuePairs = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            queuePairs.add(connector.connect(listener.localAddress()).get());
        }
        EventExecutor loop = busy.next();
        AtomicReference<Runnable> again = new AtomicReference<>();
        again.set(() -> {
            if (!loop.isShuttingDown()) {
                loop.execute(again.get());
            }
        });
        loop.execute(again.get());

        busy.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();

        Loopback.await(listener.shutdownGracefully(Duration.ZERO));
        Loopback.await(connector.shutdownGracefully(Duration.ZERO));
        for (QueuePair queuePair : queuePairs) {
            assertThat(Loopback.await(queuePair.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
            assertThat(queuePair.channel().isOpen()).isFalse();
        }
        domain.close();
    }

    /** Below 2^31 seconds, epoll sets a timer of the kernel for each wait; above, io_uring polls. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void longestWaitSuitsTheTransport(boolean ioUring) throws Exception {
        Queue<Long> delays = new ConcurrentLinkedQueue<>();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, (IoHandlerFactory) executor ->
                recording(delays, ioUring, LocalIoHandler.newFactory().newHandler(executor)));
        QueuePair queuePair = connect(loops);
        loops.submit(() -> {}).sync();

        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();

        Loopback.await(queuePair.closed());
        long kernelLimit = TimeUnit.SECONDS.toNanos(Integer.MAX_VALUE);
        assertThat(Collections.max(delays) < kernelLimit).isEqualTo(ioUring);
    }

    /** Records how long the transport may wait. It also passes for io_uring if {@code ioUring}. */
    private static IoHandler recording(Queue<Long> delays, boolean ioUring, IoHandler handler) {
        return (IoHandler) Proxy.newProxyInstance(
                IoHandler.class.getClassLoader(), new Class<?>[] {IoHandler.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("run")
                            && arguments[0] instanceof IoHandlerContext context
                            && context.deadlineNanos() != -1) {
                        delays.add(context.delayNanos(System.nanoTime()));
                    }
                    if (ioUring && method.getName().equals("isCompatible") && arguments[0] == IoUringIoHandle.class) {
                        return true;
                    }
                    return method.invoke(handler, arguments);
                });
    }

    private QueuePair connect() throws Exception {
        return connect(clients);
    }

    private QueuePair connect(EventLoopGroup loops) throws Exception {
        LocalAddress address = new LocalAddress(LoopTerminationTest.class);
        IwarpListener.listen(
                        new ServerBootstrap().group(servers).channel(LocalServerChannel.class),
                        IwarpChannelInitializer.responder(domain, QueuePairSettings.DEFAULT, ConnectionRequest::accept),
                        address)
                .get();
        return new IwarpConnector(
                        new Bootstrap().group(loops).channel(LocalChannel.class),
                        IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], fresh -> {}))
                .connect(address)
                .get();
    }
}
