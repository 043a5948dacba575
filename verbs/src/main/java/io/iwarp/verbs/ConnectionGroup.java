package io.iwarp.verbs;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
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

    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private volatile boolean closing;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Channel accepted) {
            add(accepted);
        }
        ctx.fireChannelRead(message);
    }

    private void add(Channel channel) {
        open.add(channel);
        channel.closeFuture().addListener(closed -> removeWhenTold(channel));
    }

    private void removeWhenTold(Channel channel) {
        QueuePair queuePair = QueuePairOfChannel.get(channel);
        if (queuePair == null) {
            remove(channel);
        } else {
            queuePair.engine().life().closed().told().thenRun(() -> remove(channel));
        }
    }

    private void remove(Channel channel) {
        open.remove(channel);
        completeIfEmpty();
    }

    /** Adds a connection of a connector, with its queue pair. */
    void entered(QueuePair queuePair) {
        add(queuePair.channel());
        prepared(queuePair);
    }

    /** Sets the queue pair of a connection. */
    void prepared(QueuePair queuePair) {
        if (closing) {
            queuePair.close();
        }
    }

    /**
     * Returns a deadline in nanoseconds.
     *
     * @throws IllegalArgumentException if it is negative
     */
    static long requireDeadline(Duration deadline) {
        long nanos = deadline.toNanos();
        if (nanos < 0) {
            throw new IllegalArgumentException("the deadline " + deadline + " is negative: give 0 to abort at once");
        }
        return nanos;
    }

    int size() {
        return open.size();
    }

    /**
     * Closes all connections in order, including those without a queue pair.
     *
     * @return completes when no connection is left, if the listening channel is closed
     */
    CompletionStage<Void> close() {
        closing = true;
        for (Channel channel : open) {
            QueuePair queuePair = QueuePairOfChannel.get(channel);
            if (queuePair != null) {
                queuePair.close();
            }
        }
        completeIfEmpty();
        return empty;
    }

    /** Aborts all connections that are still open. */
    void abort() {
        int left = open.size();
        if (left > 0) {
            LOGGER.info("{} connections had not closed in order by the deadline and are aborted", left);
            open.forEach(this::abort);
        }
    }

    /** Also closes the channel: a queue pair that has ended may still wait for its peer to close. */
    private void abort(Channel channel) {
        QueuePair queuePair = QueuePairOfChannel.get(channel);
        if (queuePair != null) {
            queuePair.abort();
            ChannelFuture closing = channel.close();
            LOGGER.debug("{} cut off: {}", queuePair, closing);
        } else if (!channel.isOpen()) {
            // No event loop accepted the channel, so it was closed without notification.
            remove(channel);
        }
    }

    private void completeIfEmpty() {
        if (closing && open.isEmpty()) {
            empty.complete(null);
        }
    }
}
