package io.iwarp.rdmap;

/**
 * Tracks whether input is held back because a message waits for a receive of the application. No response of the peer
 * can arrive during a hold, so response deadlines start again after it.
 *
 * <p>A hold begins when a message finds no receive. It ends when that message is placed, and input continues.
 */
final class InputHold {
    private boolean held;
    private int ended;

    /** A message waits for a receive. May be called again during a hold. */
    void begin() {
        held = true;
    }

    /** A segment was placed. */
    void end() {
        if (held) {
            held = false;
            ended++;
        }
    }

    /** Returns the current moment, for {@link #heldSince}. */
    int now() {
        return ended;
    }

    /** Returns whether input is held back now, or was at any time since the given moment. */
    boolean heldSince(int moment) {
        return held || ended != moment;
    }
}
