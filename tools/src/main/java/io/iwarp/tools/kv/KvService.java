package io.iwarp.tools.kv;

import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import java.time.Duration;

/**
 * Serves the clients of a {@link KvStore}. It handles only puts. The stack executes all other operations in the
 * clients' memory windows. A put of a lost client is executed completely or not at all: it starts when its whole
 * message has arrived, and no client holds a lock.
 */
public final class KvService {
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

    private final KvStore store;

    /**
     * @param store closed by the caller, after all connections
     */
    public KvService(KvStore store) {
        this.store = store;
    }

    /**
     * Adds what the service needs to the settings of its queue pairs: a buffer for each put that comes, and the means
     * to notice that a client's machine has gone.
     */
    public static QueuePairSettings.Builder settings(QueuePairSettings.Builder settings) {
        return settings.managedReceiveBytes(KvPut.LONGEST).keepAliveInterval(KEEP_ALIVE);
    }

    /**
     * Begins to serve a client whose connection request is about to be accepted.
     *
     * @return what to tell the client in the private data of the acceptance
     */
    public KvGrant admit(QueuePair queuePair) {
        new KvSession(queuePair, store).begin();
        return store.admit(queuePair.stream());
    }
}
