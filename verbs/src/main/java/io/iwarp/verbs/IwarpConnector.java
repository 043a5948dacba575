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
    private final IwarpChannelInitializer initializer;

    /**
     * @param bootstrap with group and channel type set; it is copied
     * @param initializer from {@link IwarpChannelInitializer#initiator}
     */
    public IwarpConnector(Bootstrap bootstrap, IwarpChannelInitializer initializer) {
        this.bootstrap = bootstrap.clone();
        this.initializer = initializer;
    }

    /**
     * Connects. If the peer closes the connection on an enhanced connection request, as one does that knows revision 1 of
     * MPA only, a second connection is made with a plain request (RFC 6581 section 10); the initializer then prepares a
     * second queue pair.
     *
     * @param address of the responder, as the channel type takes it
     * @return completes on the event loop with the queue pair once requests flow. Do not wait for it on an event loop of the
     *     bootstrap's group. Fails with
     *     {@link io.iwarp.ConnectionRejectedException} if the peer says no, with {@link io.iwarp.StreamEndedException} if
     *     start-up fails or times out, with the transport's exception if there is no connection to be had. It fails when
     *     nothing of the attempt is left: the queue pair's stream has left its protection domain, and what was chained to
     *     its {@link QueuePair#closed} before, without {@code Async}, has run. So the domain may be closed right behind it.
     *     Cancelling it does not stop the connection.
     */
    public CompletableFuture<QueuePair> connect(SocketAddress address) {
        CompletableFuture<QueuePair> connected = new CompletableFuture<>();
        connect(address, initializer, connected);
        return connected;
    }

    private void connect(
            SocketAddress address, IwarpChannelInitializer handler, CompletableFuture<QueuePair> connected) {
        ChannelFuture connecting = bootstrap.clone().handler(handler).connect(address);
        connecting.addListener(done -> {
            QueuePair queuePair = IwarpChannelInitializer.queuePair(connecting.channel());
            if (queuePair == null) {
                connected.completeExceptionally(done.cause());
            } else if (done.isSuccess() || endedHere(queuePair)) {
                queuePair.ready().whenComplete((ready, failure) -> {
                    if (failure == null) {
                        connected.complete(ready);
                    } else {
                        whenOver(queuePair, () -> setUpFailed(queuePair, failure, address, handler, connected));
                    }
                });
            } else {
                whenOver(queuePair, () -> connected.completeExceptionally(done.cause()));
            }
        });
    }

    private void setUpFailed(
            QueuePair queuePair,
            Throwable failure,
            SocketAddress address,
            IwarpChannelInitializer handler,
            CompletableFuture<QueuePair> connected) {
        if (queuePair.engine().life().enhancedSetupRefused()) {
            connect(address, handler.withoutEnhancedSetup(), connected);
        } else {
            connected.completeExceptionally(failure);
        }
    }

    /** Whoever hears of the failure may close the protection domain at once, so nothing of the queue pair may be left in it. */
    private static void whenOver(QueuePair queuePair, Runnable next) {
        queuePair.engine().life().closed().told().thenRun(next);
    }

    /** Then the transport only knows that the channel was closed, and the queue pair knows why. */
    private static boolean endedHere(QueuePair queuePair) {
        CloseReason reason = queuePair.closeReason();
        return reason != null && reason.endedBy() == EndedBy.LOCAL_APPLICATION;
    }
}
