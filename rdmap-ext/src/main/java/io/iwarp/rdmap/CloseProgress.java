package io.iwarp.rdmap;

import io.iwarp.Counter;
import io.iwarp.Counters;

/** Whether the work that an orderly close waits for gets on. */
final class CloseProgress {
    private final Counters counters;
    private final Requester requester;
    private final InputHold hold;
    private long sent;
    private long received;
    private int held;

    /** From now on. */
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
     * Returns whether something moved since the last call, or could not because a message in front of the answers waits for
     * a receive, which has a deadline of its own. What comes in matters only while answers are awaited, for which there is a
     * deadline as well: otherwise a peer could keep the close waiting for as long as it sends.
     */
    boolean moved() {
        boolean moved = counters.get(Counter.ULPDU_BYTES_SENT) > sent
                || (counters.get(Counter.ULPDU_BYTES_RECEIVED) > received && requester.unanswered() > 0)
                || hold.heldSince(held);
        mark();
        return moved;
    }
}
