package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Copies bytes by absolute indexes. Position and limit of an NIO buffer are not used, so several threads may copy to and from
 * the same one. A {@link ByteBuf} must be used by the calling thread only, unless it is only read.
 *
 * <p>Nothing is allocated if a {@code ByteBuf} has an array or is a direct buffer. A slice or duplicate of a direct
 * buffer may need a small view, and a composite buffer an array of views.
 */
final class ByteCopy {
    private ByteCopy() {}

    /** Copies bytes of a {@code ByteBuf} into another. */
    static void copy(ByteBuf src, int srcIndex, ByteBuf dst, int dstIndex, int length) {
        if (dst.nioBufferCount() == 1) {
            src.getBytes(srcIndex, dst, dstIndex, length);
        } else {
            // Without Unsafe, Netty's direct buffers cannot read into a composite buffer
            // (UnsupportedOperationException).
            dst.setBytes(dstIndex, src, srcIndex, length);
        }
    }

    /** Copies bytes of a {@code ByteBuf} into an NIO buffer. */
    static void copy(ByteBuf src, int srcIndex, ByteBuffer dst, int dstIndex, int length) {
        if (src.hasArray()) {
            Objects.checkFromIndexSize(srcIndex, length, src.capacity());
            dst.put(dstIndex, src.array(), src.arrayOffset() + srcIndex, length);
        } else if (src.nioBufferCount() == 1) {
            ByteBuffer bytes = src.internalNioBuffer(srcIndex, length);
            dst.put(dstIndex, bytes, bytes.position(), length);
        } else {
            int index = dstIndex;
            for (ByteBuffer bytes : src.nioBuffers(srcIndex, length)) {
                dst.put(index, bytes, bytes.position(), bytes.remaining());
                index += bytes.remaining();
            }
        }
    }

    /** Copies bytes of an NIO buffer into a {@code ByteBuf}. */
    static void copy(ByteBuffer src, int srcIndex, ByteBuf dst, int dstIndex, int length) {
        if (dst.hasArray()) {
            Objects.checkFromIndexSize(dstIndex, length, dst.capacity());
            src.get(srcIndex, dst.array(), dst.arrayOffset() + dstIndex, length);
        } else if (dst.nioBufferCount() == 1) {
            ByteBuffer bytes = dst.internalNioBuffer(dstIndex, length);
            bytes.put(bytes.position(), src, srcIndex, length);
        } else {
            int index = srcIndex;
            for (ByteBuffer bytes : dst.nioBuffers(dstIndex, length)) {
                bytes.put(bytes.position(), src, index, bytes.remaining());
                index += bytes.remaining();
            }
        }
    }
}
