package io.iwarp.verbs;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.BindException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Takes connection requests at an address, on the caller's event loop groups and channel type (verbs: {@code rdma_listen}).
 * Safe for use by any thread.
 */
public final class IwarpListener implements AutoCloseable {
    private final Channel channel;
    private final ConnectionGroup connections;
    private final CompletableFuture<Void> closed;

    private IwarpListener(Channel channel, ConnectionGroup connections, List<EventExecutor> loops) {
        this.channel = channel;
        this.connections = connections;
        this.closed = new LoopFuture<>(loops);
        channel.closeFuture().addListener(done -> closed.complete(null));
    }

    /**
     * Starts to listen.
     *
     * @param bootstrap with groups and channel type set; it is copied
     * @param initializer from {@link IwarpChannelInitializer#responder}
     * @param address where; port 0 lets the system choose one, which {@link #localAddress} tells
     * @return completes on an event loop with the listener once the address is bound, or fails with a {@link BindException}
     *     that names the address. An event loop of the bootstrap's groups must not wait for it: {@code get} and {@code join}
     *     throw {@link io.netty.util.concurrent.BlockingOperationException} there.
     * @throws IllegalArgumentException if the initializer is one of an initiator, unless the start is pre-agreed
     */
    public static CompletableFuture<IwarpListener> listen(
            ServerBootstrap bootstrap, IwarpChannelInitializer initializer, SocketAddress address) {
        initializer.requireListens();
        ConnectionGroup connections = new ConnectionGroup();
        ChannelHandler ofCaller = bootstrap.config().handler();
        ServerBootstrap complete = bootstrap
                .clone()
                .handler(ofCaller == null ? connections : behind(ofCaller, connections))
                .childHandler(initializer.withObserver(connections::prepared));
        complete.validate();
        List<EventExecutor> loops = loops(complete);
        CompletableFuture<IwarpListener> listening = new LoopFuture<>(loops);
        ChannelFuture binding = complete.bind(address);
        binding.addListener(done -> {
            if (done.isSuccess()) {
                listening.complete(new IwarpListener(binding.channel(), connections, loops));
            } else {
                listening.completeExceptionally(naming(address, done.cause()));
            }
        });
        return listening;
    }

    private static List<EventExecutor> loops(ServerBootstrap bootstrap) {
        List<EventExecutor> loops = new ArrayList<>();
        bootstrap.config().group().forEach(loops::add);
        bootstrap.config().childGroup().forEach(loops::add);
        return loops;
    }

    /** Transports report "Address already in use" without the address. */
    private static Throwable naming(SocketAddress address, Throwable failure) {
        if (!(failure instanceof IOException)) {
            return failure;
        }
        BindException named = new BindException("cannot listen at " + address + ": " + failure.getMessage());
        named.initCause(failure);
        return named;
    }

    /** The caller's own handler may refuse connections, which the group then never hears of. */
    private static ChannelHandler behind(ChannelHandler ofCaller, ConnectionGroup connections) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel listening) {
                listening.pipeline().addLast(ofCaller, connections);
            }
        };
    }

    /** Returns where it listens, with the port that the system chose if port 0 was asked for. */
    public SocketAddress localAddress() {
        return channel.localAddress();
    }

    /** Stops listening and returns at once. Connections that were accepted stay. */
    @Override
    public void close() {
        channel.close();
    }

    /**
     * Returns how many connections it has accepted whose channel is open, or whose queue pair has not told of its end;
     * a moment's view.
     */
    public int connections() {
        return connections.size();
    }

    /**
     * Stops listening and closes all connections that were accepted: each sends what was posted, gives its peer the answers
     * that it is owed, and tells the peer that nothing more will come. Connections in set-up are closed. What has not
     * closed at the deadline is aborted.
     *
     * <p>Applications whose peers shall finish a conversation {@link #close} first, say so to their peers, and call this
     * when they are done. May be called again, with another deadline.
     *
     * @param deadline how long the connections have, not negative; 0 aborts them at once
     * @return completes on an event loop when the address is free and of no connection anything is left, however far it had
     *     come: its channel is closed, its stream has left the protection domain, every request has completed, and what was
     *     chained to {@link QueuePair#closed} before, without {@code Async}, has run. So the protection domain may be closed,
     *     and the event loop groups shut down, right behind it.
     */
    public CompletionStage<Void> shutdownGracefully(Duration deadline) {
        long nanos = ConnectionGroup.requireDeadline(deadline);
        close();
        CompletionStage<Void> done = closed.thenCompose(closing -> connections.close());
        try {
            Future<?> timer = channel.eventLoop().schedule(connections::abort, nanos, TimeUnit.NANOSECONDS);
            return done.whenComplete((nothing, failure) -> timer.cancel(false));
        } catch (RejectedExecutionException loopIsGone) {
            connections.abort();
            return done;
        }
    }

    /** Returns a stage that completes when the address is free again. */
    public CompletionStage<Void> closed() {
        return closed.minimalCompletionStage();
    }
}
