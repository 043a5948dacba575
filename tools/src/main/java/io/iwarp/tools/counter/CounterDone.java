package io.iwarp.tools.counter;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The final message of a client of the counter server: two numbers of 8 bytes, big-endian.
 *
 * @param adds how often the client added 1 to the counter
 * @param rounds how often the client added 1 to the number under the lock
 */
record CounterDone(long adds, long rounds) {
    /** Length in bytes. */
    static final int ENCODED_LENGTH = Long.BYTES + Long.BYTES;

    /** Returns the message in a heap buffer that needs no release. */
    ByteBuf encode() {
        return Unpooled.copyLong(adds, rounds);
    }

    static CounterDone decode(ByteBuf in) {
        return new CounterDone(in.readLong(), in.readLong());
    }
}
