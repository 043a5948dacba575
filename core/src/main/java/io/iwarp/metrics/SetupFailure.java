package io.iwarp.metrics;

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
    LOCAL
}
