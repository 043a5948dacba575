package io.iwarp.rdmap;

import io.iwarp.Counter;
import io.iwarp.Counters;

/** Detects whether an orderly close makes progress. */
final class CloseProgress {
    private final Counters counters;
    private final Requester requester;
    private final InputHold hold;
    private long sent;
    private long received;
    private int held;

    /** Starts to observe. */
    CloseProgress(Counters counters, Requester requester, InputHold hold) {
        this.counters = counters;
        this.requester = requester;
        this.hold = hold;
        mark();
    }

    private void mark() {
        sent = counters.get(Counter.ULPDU_BYTES_SENT);
        received = counters.get(Counter.ULPDU_BYTES_RECEIVED);
        held = hold.now();
    }

    /**
     * Returns whether the close made progress since the last call. It also returns true if a message waited for a
     * receive: it blocks the responses behind it, and has its own deadline. Received bytes count only while responses
     * are outstanding, which have a deadline as well. Otherwise a peer could delay the close for as long as it sends.
     */
    boolean moved() {
        boolean moved = counters.get(Counter.ULPDU_BYTES_SENT) > sent
                || (counters.get(Counter.ULPDU_BYTES_RECEIVED) > received && requester.unanswered() > 0)
                || hold.heldSince(held);
        mark();
        return moved;
    }
}
