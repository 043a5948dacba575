package io.iwarp.tools.demo;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Application;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The responder's advertisement to the initiator of the demo, in the private data of its acceptance: two buffers.
 *
 * @param memory may be written and read
 * @param number 8 bytes that atomics may change
 */
record DemoAdvertisement(RemoteBuffer memory, RemoteBuffer number) {
    /** The reply continues with a {@link DemoAdvertisement}. */
    static final Application PROTOCOL = new Application("iwarp demo 1", "the responder of a running demo");

    /** Length in bytes. */
    static final int ENCODED_LENGTH = 2 * RemoteBuffer.ENCODED_LENGTH;

    /** Returns the advertisement in a heap buffer that needs no release. */
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
