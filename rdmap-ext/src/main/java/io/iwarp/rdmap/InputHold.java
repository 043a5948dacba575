package io.iwarp.rdmap;

/**
 * Whether input is held back because a message waits for a receive of the application. No answer of the peer can come
 * meanwhile, so a deadline for one gives the peer its time again.
 *
 * <p>A hold lasts from the moment at which a message finds no receive until it, and so everything behind it, is taken.
 */
final class InputHold {
    private boolean held;
    private int ended;

    /** A message waits. It may come again while it does. */
    void begin() {
        held = true;
    }

    /** A segment was taken. */
    void end() {
        if (held) {
            held = false;
            ended++;
        }
    }

    /** Returns the moment, for {@link #heldSince}. */
    int now() {
        return ended;
    }

    /** Returns whether input is held back, or was for some of the time since that moment. */
    boolean heldSince(int moment) {
        return held || ended != moment;
    }
}
