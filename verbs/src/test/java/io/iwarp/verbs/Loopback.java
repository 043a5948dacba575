package io.iwarp.verbs;

import io.iwarp.memory.ProtectionDomain;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Event loops, listeners and connections over TCP loopback for one test. */
final class Loopback implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private static final int EVENT_LOOPS = 2;

    private final EventLoopGroup group;
    private final List<IwarpListener> listeners = new ArrayList<>();
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final BlockingQueue<QueuePair> accepted = new LinkedBlockingQueue<>();

    Loopback() {
        this(EVENT_LOOPS);
    }

    Loopback(int eventLoops) {
        group = new MultiThreadIoEventLoopGroup(eventLoops, NioIoHandler.newFactory());
    }

    /** Waits for a stage, with a deadline. */
    static <T> T await(CompletableFuture<T> stage) throws InterruptedException, ExecutionException, TimeoutException {
        return stage.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    ServerBootstrap serverBootstrap() {
        return new ServerBootstrap().group(group).channel(NioServerSocketChannel.class);
    }

    Bootstrap bootstrap() {
        return new Bootstrap().group(group).channelFactory(() -> {
            NioSocketChannel channel = new NioSocketChannel();
            channels.add(channel);
            return channel;
        });
    }

    /** Listens and decides about requests as given. */
    SocketAddress listen(ProtectionDomain domain, QueuePairSettings settings, ConnectionRequestListener requests)
            throws Exception {
        IwarpListener listener = await(IwarpListener.listen(
                serverBootstrap(),
                IwarpChannelInitializer.responder(domain, settings, request -> {
                    channels.add(request.queuePair().channel());
                    requests.onConnectionRequest(request);
                }),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        listeners.add(listener);
        return listener.localAddress();
    }

    /** Listens, prepares each queue pair and accepts it; {@link #nextAccepted} hands them out. */
    SocketAddress accept(ProtectionDomain domain, QueuePairSettings settings, Consumer<QueuePair> prepare)
            throws Exception {
        return listen(domain, settings, request -> {
            prepare.accept(request.queuePair());
            accepted.add(request.queuePair());
            request.accept();
        });
    }

    QueuePair nextAccepted() throws InterruptedException {
        QueuePair queuePair = accepted.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (queuePair == null) {
            throw new AssertionError("no connection was accepted within " + PATIENCE_SECONDS + " s");
        }
        return queuePair;
    }

    QueuePair connect(
            SocketAddress address, ProtectionDomain domain, QueuePairSettings settings, Consumer<QueuePair> prepare)
            throws Exception {
        IwarpChannelInitializer initializer = IwarpChannelInitializer.initiator(domain, settings, new byte[0], prepare);
        return await(new IwarpConnector(bootstrap(), initializer).connect(address));
    }

    /** An event loop that is busy may end without having closed its channels, so they are closed first. */
    @Override
    public void close() {
        listeners.forEach(IwarpListener::close);
        channels.close().awaitUninterruptibly();
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
