package io.iwarp.verbs;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;

/** Stores the queue pair of a channel in a channel attribute. */
final class QueuePairOfChannel {
    private static final AttributeKey<QueuePair> KEY = AttributeKey.valueOf(QueuePairOfChannel.class, "queuePair");

    private QueuePairOfChannel() {}

    static void set(Channel channel, QueuePair queuePair) {
        channel.attr(KEY).set(queuePair);
    }

    /** Returns the queue pair of a channel, or null if it does not have one yet. */
    static @Nullable QueuePair get(Channel channel) {
        return channel.attr(KEY).get();
    }
}
