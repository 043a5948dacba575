package io.iwarp.verbs;

import io.netty.channel.ChannelFuture;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of a listener that have a channel. Any thread may call any method. */
final class ConnectionGroup {
    private static final Logger LOGGER = LoggerFactory.getLogger(ConnectionGroup.class);

    private final Set<QueuePair> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private volatile boolean closing;

    void add(QueuePair queuePair) {
        open.add(queuePair);
        queuePair.channel().closeFuture().addListener(closed -> {
            open.remove(queuePair);
            completeIfEmpty();
        });
        if (closing) {
            queuePair.close();
        }
    }

    int size() {
        return open.size();
    }

    /**
     * Closes all connections in order, and each that comes later.
     *
     * @return completes when there is none any more
     */
    CompletionStage<Void> close() {
        closing = true;
        open.forEach(QueuePair::close);
        completeIfEmpty();
        return empty;
    }

    /** Closes at once what has not closed in order so far. */
    void abort() {
        int left = open.size();
        if (left > 0) {
            LOGGER.info("{} connections had not closed in order by the deadline, and are cut off", left);
            open.forEach(ConnectionGroup::abort);
        }
    }

    /** A queue pair that has ended may still be waiting for its peer to close. */
    private static void abort(QueuePair queuePair) {
        queuePair.abort();
        ChannelFuture closing = queuePair.channel().close();
        LOGGER.debug("{} cut off: {}", queuePair, closing);
    }

    private void completeIfEmpty() {
        if (closing && open.isEmpty()) {
            empty.complete(null);
        }
    }
}
