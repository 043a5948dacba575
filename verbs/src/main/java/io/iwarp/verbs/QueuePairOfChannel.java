package io.iwarp.verbs;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;

/** Remembers at a channel which queue pair runs on it. */
final class QueuePairOfChannel {
    private static final AttributeKey<QueuePair> KEY = AttributeKey.valueOf(QueuePairOfChannel.class, "queuePair");

    private QueuePairOfChannel() {}

    static void set(Channel channel, QueuePair queuePair) {
        channel.attr(KEY).set(queuePair);
    }

    /** Returns the queue pair of a channel, or null if it has none (yet). */
    static @Nullable QueuePair get(Channel channel) {
        return channel.attr(KEY).get();
    }
}
