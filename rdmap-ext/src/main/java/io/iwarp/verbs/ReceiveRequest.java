package io.iwarp.verbs;

import io.iwarp.ddp.UntaggedBuffer;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A slot of a {@link ReceiveQueue}: one posted receive. */
final class ReceiveRequest extends UntaggedBuffer implements PostRing.Slot {
    private long position;
    private long id;
    private @Nullable ByteBuf buffer;
    private @Nullable CompletionListener listener;

    ReceiveRequest set(long workRequestId, @Nullable ByteBuf postedBuffer, CompletionListener whoToTell) {
        id = workRequestId;
        buffer = postedBuffer;
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

    @Nullable
    ByteBuf buffer() {
        return buffer;
    }

    @Nullable
    CompletionListener listener() {
        return listener;
    }

    /** Ends the use of the local memory. */
    void clear() {
        sink().release();
        sink().clear();
        reset();
        buffer = null;
        listener = null;
    }
}
