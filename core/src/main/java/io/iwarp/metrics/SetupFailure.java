package io.iwarp.metrics;

import io.iwarp.CloseReason;
import javax.net.ssl.SSLException;

/**
 * Why the set-up of a connection failed, if neither an application nor a limit prevented it. Later versions may add
 * constants.
 */
public enum SetupFailure {
    /** TLS: the peer does not speak it, its certificate is not trusted, or there is no common version or cipher. */
    TLS,
    /** The peer did not send a valid MPA frame. */
    MALFORMED,
    /** The start-up timeout expired. */
    TIMED_OUT,
    /** The peer closed the connection. */
    PEER_CLOSED,
    /** Could not connect, or the connection was lost. */
    TRANSPORT,
    /** This side closed the channel, or its application failed to prepare the queue pair. */
    LOCAL;

    /** Returns the failure for the reason of a connection that was never established. */
    static SetupFailure of(CloseReason reason) {
        if (reason.cause() instanceof SSLException) {
            return TLS;
        }
        return switch (reason.endedBy()) {
            case LOCAL_FAULT, PEER_TERMINATE -> MALFORMED;
            case TIMEOUT -> TIMED_OUT;
            case PEER_CLOSED -> PEER_CLOSED;
            case TRANSPORT -> TRANSPORT;
            case LOCAL_APPLICATION -> LOCAL;
            case PEER_REJECTED -> throw new IllegalArgumentException("a rejection is not a failure");
        };
    }
}
