package io.iwarp.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.iwarp.transport.BusyPolling;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections of one polling event loop, which the test runs by hand. */
class DirectReadsTest {
    private static final int QUIET_CONNECTIONS = 200;

    private enum Transport {
        NIO,
        EPOLL
    }

    private final List<Connection> connections = new ArrayList<>();
    private ManualIoEventLoop loop;
    private Connection first;
    private Connection second;

    private void start(Transport transport) throws Exception {
        assumeTrue(transport == Transport.NIO || Epoll.isAvailable());
        IoHandlerFactory handlers =
                transport == Transport.NIO ? NioIoHandler.newFactory() : EpollIoHandler.newFactory();
        loop = new ManualIoEventLoop(Thread.currentThread(), new BusyPolling(handlers, Duration.ofHours(1)));
        loop.runNow();
        first = new Connection(transport);
        second = new Connection(transport);
    }

    @AfterEach
    void stop() throws Exception {
        if (loop != null) {
            for (Connection connection : connections) {
                connection.channel.close();
                connection.peer.close();
            }
            loop.runNow();
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            while (!loop.isTerminated()) {
                loop.runNow();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theChannelThatDeliveredLastIsReadFirst(Transport transport) throws Exception {
        start(transport);
        first.deliver(8);
        first.write(8);
        second.write(8);
        loop.run(1);
        assertThat(first.bytesRead).isEqualTo(16);
        assertThat(second.bytesRead).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aLoudChannelDoesNotHoldUpOthers(Transport transport) throws Exception {
        start(transport);
        for (int i = 0; i < QUIET_CONNECTIONS; i++) {
            new Connection(transport);
        }
        List<Connection> others = connections.subList(1, connections.size());
        first.deliver(8);
        for (Connection other : others) {
            other.write(8);
        }
        int runs = 0;
        while (others.stream().anyMatch(other -> other.bytesRead == 0)) {
            first.write(8);
            loop.run(1);
            runs++;
        }
        assertThat(runs).isLessThanOrEqualTo(9);
    }

    @ParameterizedTest
    @EnumSource
    void aChannelOfLargeReadsIsNotReadDirectly(Transport transport) throws Exception {
        start(transport);
        first.deliver(8_000);
        assertTransportIsAsked();
    }

    @ParameterizedTest
    @EnumSource
    void aWaitingTaskRunsFirst(Transport transport) throws Exception {
        start(transport);
        first.deliver(8);
        loop.execute(() -> {});
        assertTransportIsAsked();
    }

    @ParameterizedTest
    @EnumSource
    void aChannelThatDoesNotReadIsNotReadDirectly(Transport transport) throws Exception {
        start(transport);
        first.deliver(8);
        first.channel.config().setAutoRead(false);
        first.write(8);
        second.write(8);
        runUntil(() -> second.bytesRead == 8);
        assertThat(first.bytesRead).isEqualTo(8);
        first.channel.config().setAutoRead(true);
        runUntil(() -> first.bytesRead == 16);
    }

    @ParameterizedTest
    @EnumSource
    void theEndOfTheStreamIsReported(Transport transport) throws Exception {
        start(transport);
        first.deliver(8);
        first.write(4);
        first.peer.shutdownOutput();
        runUntil(() -> first.channel.isInputShutdown());
        assertThat(first.bytesRead).isEqualTo(12);
        assertThat(first.failure).isNull();
        second.deliver(8);
    }

    @ParameterizedTest
    @EnumSource
    void aHalfClosedPeerIsWrittenTo(Transport transport) throws Exception {
        start(transport);
        first.deliver(8);
        first.peer.shutdownOutput();
        runUntil(() -> first.channel.isInputShutdown());
        first.channel.writeAndFlush(Unpooled.copyLong(1));
        loop.runNow();
        assertThat(first.peer.getInputStream().readNBytes(8)).hasSize(8);
        second.deliver(8);
        assertThat(first.failure).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void aResetIsReportedAsAnError(Transport transport) throws Exception {
        start(transport);
        first.deliver(8);
        first.peer.setSoLinger(true, 0);
        first.peer.close();
        runUntil(() -> first.failure != null);
        assertThat(first.failure).isInstanceOf(IOException.class);
        second.deliver(8);
    }

    /** The transport reports both channels in one run. */
    private void assertTransportIsAsked() throws IOException {
        first.write(8);
        second.write(8);
        int before = first.bytesRead;
        loop.run(1);
        assertThat(first.bytesRead).isEqualTo(before + 8);
        assertThat(second.bytesRead).isEqualTo(8);
    }

    private void runUntil(BooleanSupplier done) {
        while (!done.getAsBoolean()) {
            loop.run(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private final class Connection extends ChannelInboundHandlerAdapter {
        private final SocketChannel channel;
        private final Socket peer;
        private int bytesRead;
        private Throwable failure;

        Connection(Transport transport) throws Exception {
            channel = transport == Transport.NIO ? new NioSocketChannel() : new EpollSocketChannel();
            channel.config().setAllowHalfClosure(true);
            channel.config().setOption(ChannelOption.RECVBUF_ALLOCATOR, new SharedRecvByteBufAllocator(channel));
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                ChannelFuture connected = new Bootstrap()
                        .group(loop)
                        .channelFactory(() -> channel)
                        .handler(this)
                        .connect(server.getLocalSocketAddress());
                loop.runNow();
                peer = server.accept();
                connections.add(this);
                runUntil(connected::isSuccess);
            }
        }

        void write(int bytes) throws IOException {
            peer.getOutputStream().write(new byte[bytes]);
        }

        /** Writes bytes, and runs the loop until one event has delivered them. */
        void deliver(int bytes) throws IOException {
            int expected = bytesRead + bytes;
            write(bytes);
            runUntil(() -> bytesRead == expected);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            bytesRead += ((ByteBuf) message).readableBytes();
            ((ByteBuf) message).release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failure = cause;
        }
    }
}
