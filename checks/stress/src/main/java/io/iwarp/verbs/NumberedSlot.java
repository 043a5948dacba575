package io.iwarp.verbs;

/** What the cases post. */
final class NumberedSlot {
    int number;

    /** Returns whether there was room. */
    static boolean post(PostRing<NumberedSlot> ring, int number) {
        long position = ring.claim();
        if (position == PostRing.FULL) {
            return false;
        }
        ring.slot(position).number = number;
        ring.publish(position);
        return true;
    }
}
