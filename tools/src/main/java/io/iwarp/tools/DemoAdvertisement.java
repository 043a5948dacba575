package io.iwarp.tools;

import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * What the responder of the demo tells the initiator in the private data of its acceptance: two advertised buffers.
 *
 * @param memory may be written and read
 * @param number 8 bytes that may be changed by atomics
 */
record DemoAdvertisement(RemoteBuffer memory, RemoteBuffer number) {
    /** In bytes. */
    static final int ENCODED_LENGTH = 2 * RemoteBuffer.ENCODED_LENGTH;

    /** Returns the advertisement in a buffer on the heap, which needs no release. */
    ByteBuf encode() {
        ByteBuf out = Unpooled.buffer(ENCODED_LENGTH, ENCODED_LENGTH);
        memory.encode(out);
        number.encode(out);
        return out;
    }

    static DemoAdvertisement decode(ByteBuf in) {
        return new DemoAdvertisement(RemoteBuffer.decode(in), RemoteBuffer.decode(in));
    }
}
