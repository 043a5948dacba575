package io.iwarp.verbs;

import io.iwarp.CloseReason;
import java.time.Duration;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/** Listener for the connections of a {@link Reconnector}. Called on event loops; must not block. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
@FunctionalInterface
public interface ReconnectListener {
    /**
     * Called with each new queue pair. No state of the previous connection remains: its STags, posted receives and
     * outstanding requests are gone, and nothing is repeated.
     */
    void onConnected(QueuePair queuePair);

    /**
     * Called when a connection has ended, or an attempt to connect failed.
     *
     * @param pause the time until the next attempt; null if there is none, see {@link CloseReason#mayRetry}
     */
    default void onDisconnected(CloseReason reason, @Nullable Duration pause) {}
}
