package io.iwarp.verbs;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Accepts connection requests at an address, on the caller's event loop groups and channel type (verbs:
 * {@code rdma_listen}). Safe for use by any thread.
 */
public final class IwarpListener implements AutoCloseable {
    private final Channel channel;
    private final ConnectionGroup connections;
    private final AcceptPause acceptPause;
    private final CompletableFuture<Void> closeFuture;

    private IwarpListener(
            Channel channel, ConnectionGroup connections, AcceptPause acceptPause, List<EventExecutor> loops) {
        this.channel = channel;
        this.connections = connections;
        this.acceptPause = acceptPause;
        this.closeFuture = new LoopFuture<>(loops);
        ChannelFutures.await(channel.closeFuture(), () -> closeFuture.complete(null));
    }

    /** Starts to listen; see {@link Iwarp.Server#listen(SocketAddress)}. */
    static CompletableFuture<IwarpListener> listen(
            ServerBootstrap bootstrap, IwarpChannelInitializer initializer, SocketAddress address) {
        return listen(bootstrap, initializer, address, new ConnectionGroup());
    }

    /** Starts to listen, with a group that reports its connections; see {@link Iwarp.Server#listen(SocketAddress)}. */
    static CompletableFuture<IwarpListener> listen(
            ServerBootstrap bootstrap,
            IwarpChannelInitializer initializer,
            SocketAddress address,
            ConnectionGroup connections) {
        initializer.requireListenable();
        AcceptPause acceptPause = new AcceptPause(connections::size);
        ChannelHandler callerHandler = bootstrap.config().handler();
        ServerBootstrap complete = bootstrap
                .clone()
                .handler(inboundHandlers(callerHandler, connections, acceptPause))
                .childHandler(initializer.withObserver(connections::attach));
        complete.validate();
        List<EventExecutor> loops = loops(complete);
        CompletableFuture<IwarpListener> listening = new LoopFuture<>(loops);
        ChannelFuture binding = complete.bind(address);
        ChannelFutures.await(binding, () -> {
            if (!binding.isSuccess()) {
                listening.completeExceptionally(bindFailure(address, binding));
            } else if (!listening.complete(new IwarpListener(binding.channel(), connections, acceptPause, loops))) {
                ChannelFutures.close(binding.channel());
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

    /** Adds the address, which transports omit from "Address already in use". */
    private static Throwable bindFailure(SocketAddress address, ChannelFuture binding) {
        Throwable failure = binding.cause();
        if (failure == null) {
            return new RejectedExecutionException(
                    "cannot listen at " + address + ": the event loop of the listener was shut down");
        }
        if (failure instanceof UnsupportedAddressTypeException) {
            return new IllegalArgumentException(
                    "cannot listen at " + address + ": the channel type does not support a "
                            + address.getClass().getSimpleName() + "; use one that fits the address",
                    failure);
        }
        boolean unresolved = failure instanceof UnresolvedAddressException;
        if (!(failure instanceof IOException) && !unresolved) {
            return failure;
        }
        BindException named = new BindException(
                "cannot listen at " + address + ": " + (unresolved ? "unknown host" : failure.getMessage()));
        named.initCause(failure);
        return named;
    }

    /** The caller's handler comes first. It may refuse connections, which the group then does not see. */
    private static ChannelHandler inboundHandlers(@Nullable ChannelHandler callerHandler, ChannelHandler... own) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel listening) {
                if (callerHandler != null) {
                    listening.pipeline().addLast(callerHandler);
                }
                listening.pipeline().addLast(own);
            }
        };
    }

    /** Returns the bound address, with the port that the system chose if the requested port was 0. */
    public SocketAddress localAddress() {
        return channel.localAddress();
    }

    /**
     * Returns the port of the {@link #localAddress}.
     *
     * @throws IllegalStateException if the address has no port, as that of a Unix domain socket
     */
    public int port() {
        if (localAddress() instanceof InetSocketAddress address) {
            return address.getPort();
        }
        throw new IllegalStateException(localAddress() + " has no port");
    }

    /** Stops listening and returns at once. Accepted connections stay open. */
    @Override
    public void close() {
        ChannelFutures.close(channel);
    }

    /**
     * Returns the number of accepted connections whose channel is open or whose queue pair has not yet reported its
     * end. It may change at any time.
     */
    public int connections() {
        return connections.size();
    }

    /**
     * Returns the queue pairs of the connections that are established and not closed, for example to send something to
     * all of them. It may change at any time; see {@link Iwarp.Server#onOpen}.
     */
    public List<QueuePair> queuePairs() {
        return connections.queuePairs();
    }

    /**
     * Returns how often an accept failed, typically because the process had no file descriptor left. After each failure
     * accepting pauses for a second. New connections wait in the kernel meanwhile.
     */
    public long failedAccepts() {
        return acceptPause.failures();
    }

    /**
     * Stops listening and closes all accepted connections gracefully: each sends its posted requests and the pending
     * responses to its peer, then closes its half. Connections in set-up are closed. Connections that are still open at
     * the deadline are aborted. After the close of one, Writes that arrive are still placed; Reads and atomics are not
     * responded to.
     *
     * <p>To let peers finish their work, call {@link #close} first, notify the peers, and call this method when they
     * have disconnected, see {@link #connectionsClosed}. May be called again, with another deadline.
     *
     * @param deadline the time for the orderly close, not negative; 0 aborts at once
     * @return completes on an event loop when the address is free and all connections are cleaned up, including those
     *     in set-up: each channel is closed, each stream has left the protection domain, every request has completed,
     *     and actions chained earlier to {@link QueuePair#closed} without {@code Async} have run. The protection domain
     *     may be closed, and the event loop groups shut down, immediately afterwards.
     */
    public CompletableFuture<Void> shutdownGracefully(Duration deadline) {
        long nanos = ConnectionGroup.requireDeadline(deadline);
        close();
        CompletableFuture<Void> done = closeFuture.thenCompose(closing -> connections.close());
        return connections.abortAfter(channel.eventLoop(), nanos, done);
    }

    /** Returns a future that completes when the address is free again; accepted connections may still be open. */
    public CompletableFuture<Void> closed() {
        return closeFuture.copy();
    }

    /**
     * Returns a future that completes when this is closed and all accepted connections are cleaned up, also those that
     * the peers ended; see {@link #shutdownGracefully} for what is done then.
     */
    public CompletableFuture<Void> connectionsClosed() {
        return closeFuture.thenCompose(closed -> connections.allClosed());
    }

    @Override
    public String toString() {
        return "IwarpListener[" + localAddress() + "]";
    }
}
