package io.iwarp.mpa;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An NIO view of direct memory that other threads may read at the same time, such as registered memory
 * from which several streams send: their {@link ByteBuf#internalNioBuffer} must not be used.
 *
 * <p>The view is created at the first call and kept for further calls on the same memory, so that a burst
 * of segments of one message creates one. Not safe for use by several threads.
 */
final class SharedView {

    private @Nullable ByteBuffer view;
    private long address;

    /**
     * Returns a view with the indexes of the buffer. Its position and limit are undefined.
     *
     * @param bytes a buffer of one piece with {@link ByteBuf#hasMemoryAddress()}; it is not retained
     */
    ByteBuffer of(ByteBuf bytes) {
        // Address and size identify the memory. The ByteBuf object does not: pools reuse it for other memory.
        ByteBuffer current = view;
        long start = bytes.memoryAddress();
        if (current == null || start != address || current.capacity() != bytes.capacity()) {
            current = bytes.nioBuffer(0, bytes.capacity());
            view = current;
            address = start;
        }
        return current.clear();
    }

    /** Lets go of the view, so that the memory behind it can go. */
    void forget() {
        view = null;
    }
}
