package io.iwarp.verbs;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Takes connection requests at an address, on the caller's event loop groups and channel type (verbs: {@code rdma_listen}).
 * Safe for use by any thread.
 */
public final class IwarpListener implements AutoCloseable {
    private final Channel channel;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private IwarpListener(Channel channel) {
        this.channel = channel;
        channel.closeFuture().addListener(done -> closed.complete(null));
    }

    /**
     * Starts to listen.
     *
     * @param bootstrap with groups and channel type set; it is copied
     * @param initializer from {@link IwarpChannelInitializer#responder}
     * @return completes with the listener once the address is bound, or fails with the transport's exception
     */
    public static CompletableFuture<IwarpListener> listen(
            ServerBootstrap bootstrap, IwarpChannelInitializer initializer, SocketAddress address) {
        CompletableFuture<IwarpListener> listening = new CompletableFuture<>();
        var binding = bootstrap.clone().childHandler(initializer).bind(address);
        binding.addListener(done -> {
            if (done.isSuccess()) {
                listening.complete(new IwarpListener(binding.channel()));
            } else {
                listening.completeExceptionally(done.cause());
            }
        });
        return listening;
    }

    /** {@return where it listens, with the port that the system chose if port 0 was asked for} */
    public SocketAddress localAddress() {
        return channel.localAddress();
    }

    /** Stops listening and returns at once. Connections that were accepted stay. */
    @Override
    public void close() {
        channel.close();
    }

    /** {@return a stage that completes when the address is free again} */
    public CompletionStage<Void> closed() {
        return closed.minimalCompletionStage();
    }
}
