package io.iwarp.rdmap;

import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * An untagged queue for messages that RDMAP handles itself and that consist of a header of known size. Its buffers are
 * made when they are needed: messages that come one after the other share a single one, however many there is room for.
 */
abstract class HeaderQueue implements UntaggedQueue {
    private final @Nullable UntaggedBuffer[] ring;
    private final int room;
    private int first;

    /**
     * @param buffers how many messages there may be room for at a time
     * @param room bytes of the largest message
     */
    HeaderQueue(int buffers, int room) {
        this.ring = new UntaggedBuffer[buffers];
        this.room = room;
    }

    /** Returns how many buffers there are. */
    final int buffers() {
        return ring.length;
    }

    @Override
    public final UntaggedBuffer buffer(int ahead) {
        int index = behind(first, ahead);
        UntaggedBuffer buffer = ring[index];
        if (buffer == null) {
            buffer = new UntaggedBuffer();
            buffer.sink().wrap(Unpooled.buffer(room, room), 0, room);
            ring[index] = buffer;
        }
        return buffer;
    }

    @Override
    public final @Nullable ProtocolFault deliver(UntaggedBuffer buffer) {
        int delivered = first;
        first = behind(delivered, 1);
        try {
            return onMessage(buffer, buffer.sink().bufferAt(0));
        } finally {
            buffer.reset();
            if (ring[first] == null) {
                ring[first] = buffer;
                ring[delivered] = null;
            }
        }
    }

    private int behind(int index, int count) {
        int sum = index + count;
        return sum < ring.length ? sum : sum - ring.length;
    }

    /**
     * A message came.
     *
     * @param message says of which type and how long it is
     * @param bytes its bytes, from index 0; valid during the call
     * @return what is wrong with it, or null
     */
    abstract @Nullable ProtocolFault onMessage(UntaggedBuffer message, ByteBuf bytes);
}
