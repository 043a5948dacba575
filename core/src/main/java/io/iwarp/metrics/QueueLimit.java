package io.iwarp.metrics;

/** The limit that made a queue pair refuse a post. Later versions may add constants. */
public enum QueueLimit {
    /** The depth of the send queue. */
    SEND,
    /** The depth of the receive queue. */
    RECEIVE,
    /** The maximum number of outstanding bytes of requests other than receives. */
    BYTES
}
