package io.iwarp.soak;

/** How a client may end its connection. */
enum ClientEnd {
    CLOSE,
    ABORT,
    KILL,
    CLOSE_REGION,
    SHUT_DOWN_LOOP
}
