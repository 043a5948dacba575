package io.iwarp.tools;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * What the initiator of the demo says after its RDMA Write: two numbers of 8 bytes, big-endian.
 *
 * @param length how many bytes it has written, from the start of the advertised memory
 * @param seed which {@link BytePattern} they follow
 */
record DoneMessage(long length, long seed) {
    /** In bytes. */
    static final int ENCODED_LENGTH = Long.BYTES + Long.BYTES;

    /** Returns the message in a buffer on the heap, which needs no release. */
    ByteBuf encode() {
        return Unpooled.buffer(ENCODED_LENGTH, ENCODED_LENGTH).writeLong(length).writeLong(seed);
    }

    static DoneMessage decode(ByteBuf in) {
        return new DoneMessage(in.readLong(), in.readLong());
    }
}
