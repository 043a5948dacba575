package io.iwarp.tools.demo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The message of the demo's initiator after its RDMA Write: two numbers of 8 bytes, big-endian.
 *
 * @param length the number of bytes written, from the start of the advertised memory
 * @param seed the seed of their {@code BytePattern}
 */
record DoneMessage(long length, long seed) {
    /** Length in bytes. */
    static final int ENCODED_LENGTH = Long.BYTES + Long.BYTES;

    /** Returns the message in a heap buffer that needs no release. */
    ByteBuf encode() {
        return Unpooled.copyLong(length, seed);
    }

    static DoneMessage decode(ByteBuf in) {
        return new DoneMessage(in.readLong(), in.readLong());
    }
}
