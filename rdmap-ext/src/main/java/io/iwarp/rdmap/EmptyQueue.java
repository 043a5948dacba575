package io.iwarp.rdmap;

import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import org.jspecify.annotations.Nullable;

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
    public @Nullable ProtocolFault deliver(UntaggedBuffer buffer) {
        throw new IllegalStateException("an empty queue delivers nothing");
    }
}
