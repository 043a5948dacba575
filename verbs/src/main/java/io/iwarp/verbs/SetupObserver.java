package io.iwarp.verbs;

import io.netty.channel.Channel;

/** Observes the preparation of channels, on their event loops and before the application. No method throws. */
interface SetupObserver {
    /** An observer that does nothing. */
    SetupObserver NONE = queuePair -> {};

    /** Called first for each channel. Returns false if the attempt was cancelled. */
    default boolean onChannelAdded(Channel channel) {
        return true;
    }

    /** Called when a channel has its queue pair. */
    void onPrepared(QueuePair queuePair);

    /** Called when a channel gets no queue pair, for example because the protection domain was closed. */
    default void onFailed(Throwable cause) {}
}
