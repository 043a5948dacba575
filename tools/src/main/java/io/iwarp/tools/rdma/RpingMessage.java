package io.iwarp.tools.rdma;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.CommandFailedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The one message of the rping exchange, as rdma-core's rping has it; all fields big-endian:
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |                                                               |
 *    +                     Address (tagged offset)                   +
 *    |                                                               |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |                           Key (STag)                          |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |                              Size                             |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>The client advertises its memory with it, and the server says "go ahead" with one whose fields mean nothing.
 */
final class RpingMessage {
    /** The length of the message in bytes. */
    static final int ENCODED_LENGTH = Long.BYTES + Integer.BYTES + Integer.BYTES;

    private RpingMessage() {}

    /** Returns the message that advertises a buffer of at most 2^32 - 1 bytes. */
    static ByteBuf advertisement(RemoteBuffer memory) {
        return Unpooled.buffer(ENCODED_LENGTH, ENCODED_LENGTH)
                .writeLong(memory.taggedOffset())
                .writeInt(memory.stag())
                .writeInt((int) memory.length());
    }

    /** Returns the message with which the server answers. */
    static ByteBuf goAhead() {
        return Unpooled.buffer(ENCODED_LENGTH, ENCODED_LENGTH).writeZero(ENCODED_LENGTH);
    }

    /**
     * Reads a message that advertises memory.
     *
     * @throws CommandFailedException if it has another length, or no memory can be where it says
     */
    static RemoteBuffer decode(ByteBuf message) {
        requireMessage(message);
        long taggedOffset = message.readLong();
        int stag = message.readInt();
        try {
            return new RemoteBuffer(stag, taggedOffset, message.readUnsignedInt());
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException("the other side advertised memory that cannot be: " + e.getMessage());
        }
    }

    /** Checks that this can be a message of the exchange. */
    static void requireMessage(ByteBuf message) {
        if (message.readableBytes() != ENCODED_LENGTH) {
            throw new CommandFailedException("the other side sent a message of " + message.readableBytes()
                    + " bytes, and those of rping have " + ENCODED_LENGTH + ": it is not from rping");
        }
    }
}
