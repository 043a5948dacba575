package io.iwarp.metrics;

/** The limit that made a queue pair refuse a post. Later versions may add constants. */
public enum QueueLimit {
    /** The depth of the send queue, and for a post with a future the maximum number of pending posts. */
    SEND,
    /** The depth of the receive queue. */
    RECEIVE,
    /** The maximum number of outstanding bytes of requests other than receives, or of pending posts. */
    BYTES
}
