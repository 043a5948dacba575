package io.iwarp.tools.counter;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Application;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The counter server's grant to a client, in the private data of its acceptance: a number of 8 bytes, big-endian, and
 * three advertised buffers of 8 bytes.
 *
 * @param client the client's number, at least 1, with which it takes the lock
 * @param counter may be changed by atomics
 * @param lock may be changed by atomics
 * @param number may be read and written
 */
record CounterGrant(long client, RemoteBuffer counter, RemoteBuffer lock, RemoteBuffer number) {
    /** The reply continues with a {@link CounterGrant}. */
    static final Application PROTOCOL =
            new Application("iwarp counter 1", "a server of 'iwarp counter --listen', to be used by 'iwarp counter'");

    /** Length in bytes. */
    static final int ENCODED_LENGTH = Long.BYTES + 3 * RemoteBuffer.ENCODED_LENGTH;

    /** Returns the grant in a heap buffer that needs no release. */
    ByteBuf encode() {
        ByteBuf out = Unpooled.buffer(ENCODED_LENGTH, ENCODED_LENGTH).writeLong(client);
        counter.encode(out);
        lock.encode(out);
        number.encode(out);
        return out;
    }

    static CounterGrant decode(ByteBuf in) {
        return new CounterGrant(
                in.readLong(), RemoteBuffer.decode(in), RemoteBuffer.decode(in), RemoteBuffer.decode(in));
    }
}
