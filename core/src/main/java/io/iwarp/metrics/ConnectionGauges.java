package io.iwarp.metrics;

import io.iwarp.ConnectionState;
import io.iwarp.Counters;
import org.apiguardian.api.API;

/**
 * What a connection tells of itself at the moment when somebody asks. Any thread may call; no method blocks, and each
 * gives a moment's view.
 */
@API(status = API.Status.INTERNAL)
public interface ConnectionGauges {
    /** {@return where the connection is in its life} */
    ConnectionState connectionState();

    /** {@return what crossed its wire} */
    Counters counters();

    /** {@return requests posted and not completed, receives left out} */
    int sendRequests();

    /** {@return of {@link #sendRequests}, those that the event loop has not taken yet} */
    int queuedSendRequests();

    /** {@return how many requests the send queue can hold} */
    int sendQueueDepth();

    /** {@return receives posted and not used by a message of the peer} */
    int receiveRequests();

    /** {@return how many receives the receive queue can hold} */
    int receiveQueueDepth();
}
