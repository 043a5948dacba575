package io.iwarp.metrics;

import io.iwarp.ConnectionState;
import io.iwarp.Counters;
import org.apiguardian.api.API;

/**
 * The current state and numbers of a connection. Any thread may call. No method blocks.
 */
@API(status = API.Status.INTERNAL)
public interface ConnectionGauges {
    /** Returns the state of the connection. */
    ConnectionState connectionState();

    /** Returns the counters of the connection. */
    Counters counters();

    /** Returns the number of posted requests that have not completed, not counting receives. */
    int sendRequests();

    /** Returns how many of {@link #sendRequests} have not started. */
    int queuedSendRequests();

    /** Returns the capacity of the send queue. */
    int sendQueueDepth();

    /**
     * Returns the number of posted receives whose completions were not polled; of managed and shared receives, those that
     * messages hold.
     */
    int receiveRequests();

    /** Returns the capacity of the receive queue. */
    int receiveQueueDepth();
}
