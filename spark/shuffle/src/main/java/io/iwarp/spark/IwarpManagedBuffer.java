package io.iwarp.spark;

import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.network.buffer.ManagedBuffer;

/** Blocks that were read, in the registered memory in which they arrived. */
public final class IwarpManagedBuffer extends ManagedBuffer {
    private final SinkPool.Sink sink;
    private final AtomicInteger references = new AtomicInteger(1);

    IwarpManagedBuffer(SinkPool.Sink sink) {
        this.sink = sink;
    }

    @Override
    public long size() {
        return sink.length();
    }

    @Override
    public ByteBuffer nioByteBuffer() {
        requireReferences();
        return sink.nioBuffer();
    }

    @Override
    public InputStream createInputStream() {
        requireReferences();
        return new ByteBufInputStream(sink.bytes());
    }

    @Override
    public ManagedBuffer retain() {
        references.updateAndGet(count -> {
            if (count == 0) {
                throw new IllegalReferenceCountException(0, 1);
            }
            return count + 1;
        });
        return this;
    }

    @Override
    public ManagedBuffer release() {
        int left = references.decrementAndGet();
        if (left < 0) {
            throw new IllegalReferenceCountException(left + 1, -1);
        }
        if (left == 0) {
            sink.release();
        }
        return this;
    }

    /** Returns a copy, because Netty may send it after this buffer was released. */
    @Override
    public Object convertToNetty() {
        return Unpooled.copiedBuffer(nioByteBuffer());
    }

    @Override
    public Object convertToNettyForSsl() {
        return convertToNetty();
    }

    private void requireReferences() {
        int count = references.get();
        if (count == 0) {
            throw new IllegalReferenceCountException(count);
        }
    }

    @Override
    public String toString() {
        return "IwarpManagedBuffer[" + sink.length() + " bytes]";
    }
}
