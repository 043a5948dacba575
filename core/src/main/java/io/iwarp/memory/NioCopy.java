package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Copies between a {@link ByteBuf} and an NIO buffer by absolute indexes, without touching a position or limit of the
 * NIO buffer, so that several threads may copy to and from it at the same time.
 *
 * <p>The {@code ByteBuf} belongs to the calling thread. Nothing is allocated if it has an array or is a direct buffer of
 * its own; for a slice or duplicate of a direct buffer a view of a few octets is made.
 */
final class NioCopy {
    private NioCopy() {}

    /** Copies octets of a {@code ByteBuf} into an NIO buffer. */
    static void copy(ByteBuf src, int srcIndex, ByteBuffer dst, int dstIndex, int length) {
        if (src.hasArray()) {
            Objects.checkFromIndexSize(srcIndex, length, src.capacity());
            dst.put(dstIndex, src.array(), src.arrayOffset() + srcIndex, length);
        } else if (src.nioBufferCount() == 1) {
            ByteBuffer octets = src.internalNioBuffer(srcIndex, length);
            dst.put(dstIndex, octets, octets.position(), length);
        } else {
            int index = dstIndex;
            for (ByteBuffer octets : src.nioBuffers(srcIndex, length)) {
                dst.put(index, octets, octets.position(), octets.remaining());
                index += octets.remaining();
            }
        }
    }

    /** Copies octets of an NIO buffer into a {@code ByteBuf}. */
    static void copy(ByteBuffer src, int srcIndex, ByteBuf dst, int dstIndex, int length) {
        if (dst.hasArray()) {
            Objects.checkFromIndexSize(dstIndex, length, dst.capacity());
            src.get(srcIndex, dst.array(), dst.arrayOffset() + dstIndex, length);
        } else if (dst.nioBufferCount() == 1) {
            ByteBuffer octets = dst.internalNioBuffer(dstIndex, length);
            octets.put(octets.position(), src, srcIndex, length);
        } else {
            int index = srcIndex;
            for (ByteBuffer octets : dst.nioBuffers(dstIndex, length)) {
                octets.put(octets.position(), src, index, octets.remaining());
                index += octets.remaining();
            }
        }
    }
}
