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
 * The connections of a listener or connector: each of a listener from when the listening channel hands it out, which is
 * before it has a queue pair, until its channel is closed and its queue pair has told the application of its end. Any
 * thread may call any method.
 *
 * <p>As a handler it goes into the pipeline of the listening channel. So when that channel is closed no connection can come
 * that is not here.
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

    /** A connection of a connector has its queue pair. */
    void entered(QueuePair queuePair) {
        add(queuePair.channel());
        prepared(queuePair);
    }

    /** A connection has its queue pair. */
    void prepared(QueuePair queuePair) {
        if (closing) {
            queuePair.close();
        }
    }

    /**
     * Returns the nanoseconds of a deadline.
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
     * Closes all connections in order, also those that have no queue pair so far.
     *
     * @return completes when there is none any more, if the listening channel is closed
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

    /** Closes at once what has not closed in order so far. */
    void abort() {
        int left = open.size();
        if (left > 0) {
            LOGGER.info("{} connections had not closed in order by the deadline, and are cut off", left);
            open.forEach(this::abort);
        }
    }

    /** A queue pair that has ended may still be waiting for its peer to close. */
    private void abort(Channel channel) {
        QueuePair queuePair = QueuePairOfChannel.get(channel);
        if (queuePair != null) {
            queuePair.abort();
            ChannelFuture closing = channel.close();
            LOGGER.debug("{} cut off: {}", queuePair, closing);
        } else if (!channel.isOpen()) {
            // No event loop took it: it was closed without anybody being told.
            remove(channel);
        }
    }

    private void completeIfEmpty() {
        if (closing && open.isEmpty()) {
            empty.complete(null);
        }
    }
}
