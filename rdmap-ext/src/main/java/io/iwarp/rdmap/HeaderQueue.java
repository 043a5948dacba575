package io.iwarp.rdmap;

import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.internal.ProtocolFault;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An untagged queue for messages that RDMAP handles itself and that consist of a header of known size. It allocates
 * buffers on demand, on the heap. Messages that arrive one after the other share a single buffer.
 */
final class HeaderQueue implements UntaggedQueue {
    /** Handles the messages of a queue. */
    interface Receiver {
        /**
         * Handles a received message.
         *
         * @param message describes the type and length of the message
         * @param bytes the bytes of the message, from index 0; valid during the call
         * @return the error in the message, or null
         */
        @Nullable
        ProtocolFault onMessage(UntaggedBuffer message, ByteBuf bytes);
    }

    private final int room;
    private final IntSupplier available;
    private final Receiver receiver;
    private final List<UntaggedBuffer> buffers = new ArrayList<>(1);

    /**
     * @param room the length of the largest message in bytes, at least 1
     * @param available returns how many messages may arrive
     */
    HeaderQueue(int room, IntSupplier available, Receiver receiver) {
        this.room = room;
        this.available = available;
        this.receiver = receiver;
    }

    @Override
    public int available() {
        return available.getAsInt();
    }

    @Override
    public @Nullable UntaggedBuffer buffer(int ahead) {
        if (Integer.compareUnsigned(ahead, available()) >= 0) {
            return null;
        }
        for (int count = buffers.size(); count <= ahead; count++) {
            UntaggedBuffer buffer = new UntaggedBuffer();
            buffer.sink().wrap(Unpooled.buffer(room, room), 0, room);
            buffers.add(buffer);
        }
        return buffers.get(ahead);
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer buffer) {
        buffers.remove(0);
        try {
            return receiver.onMessage(buffer, buffer.sink().bufferAt(0));
        } finally {
            buffer.reset();
            if (buffers.isEmpty()) {
                buffers.add(buffer);
            }
        }
    }
}
