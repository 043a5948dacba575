package io.iwarp.verbs;

import io.iwarp.rdmap.RdmapRequest;
import org.jspecify.annotations.Nullable;

/**
 * A slot of a {@link SendQueue}: one posted Send or Write. Whoever claimed the slot fills it and publishes it; from then on
 * it is the event loop's until it has completed.
 */
final class WorkRequest extends RdmapRequest implements PostRing.Slot {
    private long position;
    private long id;
    private Operation operation = Operation.SEND;
    private @Nullable CompletionListener listener;

    WorkRequest set(long workRequestId, Operation what, CompletionListener whoToTell) {
        id = workRequestId;
        operation = what;
        listener = whoToTell;
        return this;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void position(long newPosition) {
        position = newPosition;
    }

    long id() {
        return id;
    }

    Operation operation() {
        return operation;
    }

    long length() {
        return payload().length();
    }

    @Nullable
    CompletionListener listener() {
        return listener;
    }

    /** Ends the use of the local memory. */
    void clear() {
        payload().release();
        payload().clear();
        listener = null;
    }
}
