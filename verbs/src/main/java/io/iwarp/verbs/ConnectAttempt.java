package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@link IwarpConnector#connect}: up to two connections, one after the other, of which the second has a plain
 * connection request. It is given up when somebody else completes its future. Any thread may call any method; the rest
 * happens on the event loop of the connection.
 */
final class ConnectAttempt {
    private static final CloseReason GIVEN_UP =
            new CloseReason(EndedBy.LOCAL_APPLICATION, null, "the attempt to connect was given up", null);

    private final Bootstrap bootstrap;
    private final IwarpChannelInitializer initializer;
    private final SocketAddress address;
    private final LoopFuture<QueuePair> connected;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final Consumer<QueuePair> observer;
    private volatile boolean givenUp;

    /** The queue pair of the present connection, from when it is prepared. */
    private volatile @Nullable QueuePair current;

    /**
     * @param bootstrap with group and channel type
     * @param observer is told of each queue pair before anything is sent
     */
    ConnectAttempt(
            Bootstrap bootstrap,
            IwarpChannelInitializer initializer,
            SocketAddress address,
            Consumer<QueuePair> observer) {
        this.bootstrap = bootstrap;
        this.initializer = initializer;
        this.address = address;
        this.observer = observer;
        this.connected = new LoopFuture<>(bootstrap.config().group());
        connected.whenComplete(this::abandonUnless);
    }

    /** Returns completes with the queue pair once requests flow, or fails when nothing is left. */
    CompletableFuture<QueuePair> connected() {
        return connected;
    }

    /**
     * Returns completes when this has a connection, or nothing is left of it; later than the future if somebody
     * cancelled it.
     */
    CompletionStage<Void> over() {
        return over;
    }

    void begin() {
        connect(initializer);
    }

    /** Ends the attempt; its future fails when nothing is left. */
    void giveUp() {
        givenUp = true;
        QueuePair queuePair = current;
        if (queuePair != null && !connected.isDone()) {
            queuePair.engine().abort(GIVEN_UP);
        }
    }

    /** The future is complete: what is under way is ended, unless it is the connection that the future completed with. */
    private void abandonUnless(@Nullable QueuePair outcome, @Nullable Throwable failure) {
        QueuePair queuePair = current;
        if (queuePair != null && queuePair != outcome) {
            queuePair.engine().abort(GIVEN_UP);
        }
    }

    /** Event loop: a connection has its queue pair. */
    private void prepared(QueuePair queuePair) {
        observer.accept(queuePair);
        current = queuePair;
        if (givenUp || connected.isDone()) {
            queuePair.engine().abort(GIVEN_UP);
        }
    }

    private void succeed(QueuePair queuePair) {
        connected.complete(queuePair);
        over.complete(null);
    }

    private void fail(Throwable failure) {
        connected.completeExceptionally(failure);
        over.complete(null);
    }

    private void connect(IwarpChannelInitializer handler) {
        ChannelFuture connecting =
                bootstrap.clone().handler(handler.withObserver(this::prepared)).connect(address);
        connecting.addListener(done -> {
            QueuePair queuePair = current;
            if (queuePair == null) {
                fail(done.cause());
            } else if (done.isSuccess() || endedHere(queuePair)) {
                queuePair.ready().whenComplete((ready, failure) -> {
                    if (failure == null) {
                        succeed(ready);
                    } else {
                        whenOver(queuePair, () -> setUpFailed(queuePair, failure, handler));
                    }
                });
            } else {
                whenOver(queuePair, () -> fail(done.cause()));
            }
        });
    }

    private void setUpFailed(QueuePair queuePair, Throwable failure, IwarpChannelInitializer handler) {
        if (queuePair.engine().life().enhancedSetupRefused() && !givenUp && !connected.isDone()) {
            current = null;
            connect(handler.withoutEnhancedSetup());
        } else {
            fail(failure);
        }
    }

    /**
     * Whoever hears of the failure may close the protection domain at once, so nothing of the queue pair may be left in
     * it.
     */
    private static void whenOver(QueuePair queuePair, Runnable next) {
        queuePair.engine().life().closed().told().thenRun(next);
    }

    /** Then the transport only knows that the channel was closed, and the queue pair knows why. */
    private static boolean endedHere(QueuePair queuePair) {
        CloseReason reason = queuePair.closeReason();
        return reason != null && reason.endedBy() == EndedBy.LOCAL_APPLICATION;
    }
}
