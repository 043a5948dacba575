package io.iwarp.verbs;

import io.iwarp.memory.MemoryRegion;
import io.netty.buffer.ByteBuf;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The buffer that one Read fills, and the region that is registered for it. The buffer is in use until the Read
 * releases its memory, or until the application has settled the future of the Read: then no byte of it changes.
 *
 * <p>The posting thread creates it, and the event loop closes it.
 */
final class ReadSink implements AutoCloseable {
    private final Map<ByteBuf, ReadSink> registry;
    private final ByteBuf buffer;
    private final int index;
    private final CompletionTarget target;
    private @Nullable MemoryRegion region;
    private boolean retained;

    private ReadSink(Map<ByteBuf, ReadSink> registry, ByteBuf buffer, CompletionTarget target) {
        this.registry = registry;
        this.buffer = buffer;
        this.index = buffer.writerIndex();
        this.target = target;
    }

    /** Returns a map for the buffers that the Reads of one queue pair fill. Any thread may use it. */
    static Map<ByteBuf, ReadSink> newRegistry() {
        return Collections.synchronizedMap(new IdentityHashMap<>());
    }

    /**
     * Marks a buffer as in use until {@link #close}, unless it has no bytes.
     *
     * @param target of the completion
     * @throws IllegalStateException if another Read fills the buffer
     */
    static ReadSink of(ByteBuf buffer, CompletionTarget target, Map<ByteBuf, ReadSink> registry) {
        ReadSink sink = new ReadSink(registry, buffer, target);
        if (buffer.capacity() > 0
                && registry.merge(buffer, sink, (earlier, later) -> earlier.isFinished() ? later : earlier) != sink) {
            throw new IllegalStateException("the sink " + buffer + " is in use by a Read that has not completed: wait"
                    + " for its completion, or read into another buffer or a slice");
        }
        return sink;
    }

    private boolean isFinished() {
        return target instanceof LoopFuture<?> future && future.isDone();
    }

    ByteBuf buffer() {
        return buffer;
    }

    /** Returns the region over the buffer, or null. */
    @Nullable
    MemoryRegion region() {
        return region;
    }

    /** Sets the region over the buffer, which is closed with this object. */
    void setRegion(MemoryRegion registered) {
        region = registered;
    }

    /** Marks the buffer as retained instead of registered, because the Read has no bytes. */
    void setRetained() {
        retained = true;
    }

    /**
     * Moves the writer index over the bytes that have arrived.
     *
     * @return false if the application has changed the buffer, so that they are not at its writer index
     */
    boolean fill(long bytes) {
        long end = index + bytes;
        if (buffer.writerIndex() != index || end > buffer.capacity()) {
            return false;
        }
        buffer.writerIndex((int) end);
        return true;
    }

    /** Ends the use of the buffer. */
    @Override
    public void close() {
        registry.remove(buffer, this);
        if (region != null) {
            region.close();
        } else if (retained) {
            buffer.release();
        }
    }
}
