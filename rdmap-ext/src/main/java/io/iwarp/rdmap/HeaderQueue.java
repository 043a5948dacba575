package io.iwarp.rdmap;

import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * An untagged queue for messages that RDMAP handles itself and that consist of a header of known size. It allocates
 * buffers on demand. Messages that arrive one after the other share a single buffer.
 */
abstract class HeaderQueue implements UntaggedQueue {
    private final @Nullable UntaggedBuffer[] ring;
    private final int room;
    private int first;

    /**
     * @param buffers the maximum number of messages at a time
     * @param room the length of the largest message in bytes
     */
    HeaderQueue(int buffers, int room) {
        this.ring = new UntaggedBuffer[buffers];
        this.room = room;
    }

    /** Returns the number of buffers. */
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
     * Handles a received message.
     *
     * @param message describes the type and length of the message
     * @param bytes the bytes of the message, from index 0; valid during the call
     * @return the error in the message, or null
     */
    abstract @Nullable ProtocolFault onMessage(UntaggedBuffer message, ByteBuf bytes);
}
