package io.iwarp.verbs;

/** What the cases post. */
final class NumberedSlot implements PostRing.Slot {
    int number;
    private long position;

    @Override
    public long position() {
        return position;
    }

    @Override
    public void position(long newPosition) {
        position = newPosition;
    }

    /** {@return whether there was room} */
    static boolean post(PostRing<NumberedSlot> ring, int number) {
        NumberedSlot slot = ring.claim();
        if (slot == null) {
            return false;
        }
        slot.number = number;
        ring.publish(slot);
        return true;
    }
}
