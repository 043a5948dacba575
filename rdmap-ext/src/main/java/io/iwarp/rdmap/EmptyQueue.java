package io.iwarp.rdmap;

import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;

/** An untagged queue that never has a buffer: whatever arrives on it finds none. */
enum EmptyQueue implements UntaggedQueue {
    /** The only one; it has no state. */
    INSTANCE;

    @Override
    public int available() {
        return 0;
    }

    @Override
    public UntaggedBuffer buffer(int ahead) {
        throw new IndexOutOfBoundsException("buffer " + ahead + " of an empty queue");
    }

    @Override
    public void deliver(UntaggedBuffer buffer) {
        throw new IllegalStateException("an empty queue delivers nothing");
    }
}
