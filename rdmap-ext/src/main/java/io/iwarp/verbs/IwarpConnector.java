package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * Makes connections as the initiator, on the caller's event loop group and channel type (verbs: {@code rdma_connect}).
 * Immutable and safe for use by any thread.
 */
public final class IwarpConnector {
    private final Bootstrap bootstrap;

    /**
     * @param bootstrap with group and channel type set; it is copied
     * @param initializer from {@link IwarpChannelInitializer#initiator}
     */
    public IwarpConnector(Bootstrap bootstrap, IwarpChannelInitializer initializer) {
        this.bootstrap = bootstrap.clone().handler(initializer);
    }

    /**
     * Connects.
     *
     * @return completes with the queue pair once requests flow. Fails with
     *     {@link io.iwarp.ConnectionRejectedException} if the peer says no, with {@link io.iwarp.StreamEndedException} if
     *     start-up fails or times out, with the transport's exception if there is no connection to be had. Cancelling it
     *     does not stop the connection.
     */
    public CompletableFuture<QueuePair> connect(SocketAddress address) {
        CompletableFuture<QueuePair> connected = new CompletableFuture<>();
        ChannelFuture connecting = bootstrap.connect(address);
        connecting.addListener(done -> {
            QueuePair queuePair = IwarpChannelInitializer.queuePair(connecting.channel());
            if (queuePair != null && (done.isSuccess() || endedHere(queuePair))) {
                follow(queuePair, connected);
            } else {
                connected.completeExceptionally(done.cause());
            }
        });
        return connected;
    }

    /** Then the transport only knows that the channel was closed, and the queue pair knows why. */
    private static boolean endedHere(QueuePair queuePair) {
        CloseReason reason = queuePair.closeReason();
        return reason != null && reason.endedBy() == EndedBy.LOCAL_APPLICATION;
    }

    private static void follow(QueuePair queuePair, CompletableFuture<QueuePair> connected) {
        queuePair.ready().whenComplete((ready, failure) -> {
            if (failure == null) {
                connected.complete(ready);
            } else {
                connected.completeExceptionally(failure);
            }
        });
    }
}
