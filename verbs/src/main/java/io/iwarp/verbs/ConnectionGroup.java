package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.internal.EventLoopTasks;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a listener or connector. A listener's connection enters when the listening channel accepts it,
 * before it has a queue pair. A connection leaves when its channel is closed and its queue pair has reported its end.
 * Any thread may call any method.
 *
 * <p>The group is a handler in the pipeline of the listening channel, so all connections are in the group when that
 * channel is closed.
 */
@Sharable
final class ConnectionGroup extends ChannelInboundHandlerAdapter {
    private static final Logger LOGGER = LoggerFactory.getLogger(ConnectionGroup.class);

    /** The maximum deadline. A longer one, such as {@code ChronoUnit.FOREVER}, overflows a long of nanoseconds. */
    private static final Duration MAX_DEADLINE = Duration.ofDays(36_500);

    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> emptyFuture = new CompletableFuture<>();
    private final Consumer<QueuePair> onOpen;
    private final BiConsumer<QueuePair, CloseReason> onClose;
    private volatile boolean closing;
    /** Whether the group accepts no further connections. */
    private volatile boolean isSealed;

    ConnectionGroup() {
        this(opened -> {}, (ended, reason) -> {});
    }

    /**
     * @param onOpen called on the event loop of a connection when it is established
     * @param onClose called there when it has ended
     */
    ConnectionGroup(Consumer<QueuePair> onOpen, BiConsumer<QueuePair, CloseReason> onClose) {
        this.onOpen = onOpen;
        this.onClose = onClose;
    }

    /** Added to the listening channel, on its event loop. */
    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        LoopTermination.closeAtShutdown(ctx.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Channel accepted) {
            channels.add(accepted);
            // Registers the channel with an event loop.
            ctx.fireChannelRead(message);
            awaitEnd(accepted);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    private void awaitEnd(Channel channel) {
        ChannelFutures.await(channel.closeFuture(), () -> removeAfterEnd(channel));
    }

    private void removeAfterEnd(Channel channel) {
        QueuePair queuePair = QueuePairOfChannel.get(channel);
        if (queuePair == null) {
            remove(channel);
        } else {
            queuePair.engine().closeFutures().reported().thenRun(() -> remove(channel));
        }
    }

    private void remove(Channel channel) {
        channels.remove(channel);
        completeIfEmpty();
    }

    /** Adds a connection of a connector. */
    void add(Channel channel) {
        channels.add(channel);
        awaitEnd(channel);
    }

    /** Sets the queue pair of a connection. */
    void attach(QueuePair queuePair) {
        queuePair.engine().setEstablishedListener(() -> onEstablished(queuePair));
        if (closing) {
            queuePair.close();
        }
    }

    private void onEstablished(QueuePair queuePair) {
        // Register onClose first, since onOpen may close the queue pair.
        queuePair
                .closed()
                .thenAccept(reason -> Callbacks.notify(queuePair.channel(), () -> onClose.accept(queuePair, reason)));
        Callbacks.notify(queuePair.channel(), () -> onOpen.accept(queuePair));
    }

    /** Returns the queue pairs of the connections that are established and not closed. */
    List<QueuePair> queuePairs() {
        List<QueuePair> established = new ArrayList<>();
        for (Channel channel : channels) {
            QueuePair queuePair = QueuePairOfChannel.get(channel);
            if (queuePair != null && queuePair.parameters() != null && queuePair.closeReason() == null) {
                established.add(queuePair);
            }
        }
        return established;
    }

    /**
     * Returns a deadline in nanoseconds.
     *
     * @throws IllegalArgumentException if it is negative
     */
    static long requireDeadline(Duration deadline) {
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("the deadline " + deadline + " is negative; use 0 to abort at once");
        }
        return deadline.compareTo(MAX_DEADLINE) > 0 ? MAX_DEADLINE.toNanos() : deadline.toNanos();
    }

    int size() {
        return channels.size();
    }

    /**
     * Closes all connections gracefully, including those without a queue pair.
     *
     * @return completes when no connection is left, if the listening channel is closed
     */
    CompletableFuture<Void> close() {
        closing = true;
        CompletableFuture<Void> closed = allClosed();
        for (Channel channel : channels) {
            QueuePair queuePair = QueuePairOfChannel.get(channel);
            if (queuePair != null) {
                queuePair.close();
            } else {
                ChannelFutures.close(channel);
            }
        }
        return closed;
    }

    /** Returns a future that completes when no connection is left. Call it when none enters any more. */
    CompletableFuture<Void> allClosed() {
        isSealed = true;
        completeIfEmpty();
        return emptyFuture;
    }

    /** Aborts all connections that are still open. */
    void abort() {
        int openCount = channels.size();
        if (openCount > 0) {
            LOGGER.info("the deadline has passed: aborting the connections that are still open ({})", openCount);
            channels.forEach(this::abort);
        }
    }

    /** Also closes the channel: a queue pair that has ended may still wait for its peer to close. */
    private void abort(Channel channel) {
        QueuePair queuePair = QueuePairOfChannel.get(channel);
        if (queuePair != null) {
            queuePair.abort();
        }
        ChannelFutures.close(channel);
    }

    /**
     * Aborts the connections that are open at the deadline.
     *
     * @param loop measures the time; if it has shut down, the deadline is now
     * @param done completes when no connection is left
     * @return completes after {@code done} and the end of the timer
     */
    CompletableFuture<Void> abortAfter(EventExecutor loop, long nanos, CompletableFuture<Void> done) {
        CompletableFuture<Future<?>> timer = new CompletableFuture<>();
        Runnable abort = this::abort;
        Runnable start = () -> timer.complete(loop.schedule(abort, nanos, TimeUnit.NANOSECONDS));
        EventLoopTasks.execute(loop, start, abort);
        return done.whenComplete((nothing, failure) -> timer.thenAccept(started -> started.cancel(false)));
    }

    private void completeIfEmpty() {
        if (isSealed && channels.isEmpty()) {
            emptyFuture.complete(null);
        }
    }
}
