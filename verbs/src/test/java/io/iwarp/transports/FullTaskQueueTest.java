package io.iwarp.transports;

import static io.iwarp.transports.Server.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.EndedBy;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An event loop whose queue of tasks is full refuses tasks for a moment. Nothing is lost by it. */
class FullTaskQueueTest {
    private static final int TASKS = 16;
    /** Netty's queue takes more than its limit. */
    private static final int MORE_THAN_FIT = 100_000;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()) {
        @Override
        protected IoEventLoop newChild(Executor executor, IoHandlerFactory factory, Object... arguments) {
            return new SingleThreadIoEventLoop(
                    this, executor, factory, TASKS, RejectedExecutionHandlers.reject(), 0) {};
        }
    };
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final CountDownLatch room = new CountDownLatch(1);
    private Server server;
    private QueuePair initiator;
    private Iwarp.Client client;

    @BeforeEach
    void connect() throws Exception {
        server = new Server(Transport.NIO, QueuePairSettings.DEFAULT, pipeline -> {}, request -> accept(request));
        client = Iwarp.client(new Bootstrap().group(group).channel(NioSocketChannel.class))
                .domain(domain);
        initiator = await(client.connect(server.address()));
    }

    private static void accept(ConnectionRequest request) {
        for (int i = 0; i < TASKS; i++) {
            request.queuePair().receive(Unpooled.EMPTY_BUFFER);
        }
        request.accept();
    }

    @AfterEach
    void shutDown() throws Exception {
        room.countDown();
        await(client.shutdownGracefully(Duration.ZERO));
        server.close();
        group.shutdownGracefully(0, Server.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        domain.close();
    }

    /** Keeps the loop busy, and its queue full, until there is to be room. */
    private void fill() throws Exception {
        EventLoop loop = initiator.channel().eventLoop();
        CountDownLatch busy = new CountDownLatch(1);
        loop.execute(() -> {
            busy.countDown();
            try {
                room.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        busy.await();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < MORE_THAN_FIT; i++) {
                        loop.execute(() -> {});
                    }
                })
                .isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void aPostIsSent() throws Exception {
        fill();
        CompletableFuture<Completion> sent = initiator.send(Unpooled.EMPTY_BUFFER);
        room.countDown();
        assertThat(await(sent).successful()).isTrue();
        assertThat(await(initiator.send(Unpooled.EMPTY_BUFFER)).successful()).isTrue();
    }

    @Test
    void aCloseIsCarriedOut() throws Exception {
        fill();
        initiator.close();
        room.countDown();
        assertThat(await(initiator.closed()).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
    }

    @Test
    void anAbortIsCarriedOut() throws Exception {
        fill();
        initiator.abort();
        room.countDown();
        assertThat(await(initiator.closed()).detail()).contains("aborted");
    }

    @Test
    void aShutdownOfTheConnectorKeepsItsDeadline() throws Exception {
        fill();
        CompletableFuture<Void> down = client.shutdownGracefully(Duration.ofHours(1));
        room.countDown();
        await(down);
        assertThat(await(initiator.closed()).detail()).contains("closed by the application");
    }
}
