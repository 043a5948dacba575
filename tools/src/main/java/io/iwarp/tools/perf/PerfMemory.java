package io.iwarp.tools.perf;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;

/**
 * The memory of one side of a connection: what is sent from, received into, and registered for the other side. Confined
 * to the event loop once the connection is made.
 */
final class PerfMemory implements AutoCloseable {
    private final ByteBuf source;
    private final ByteBuf sink;
    private final ByteBuf[] places;
    private final MemoryRegion region;
    private final LocalBuffer readSink;
    private int nextPlace;

    /**
     * Allocates; all bytes are 0.
     *
     * @throws OutOfMemoryError if there is not enough direct memory; nothing is kept then
     */
    PerfMemory(ByteBufAllocator allocator, ProtectionDomain domain, PerfTask task, AccessRight right) {
        int bytes = task.memoryBytes();
        ByteBuf first = allocator.directBuffer(bytes, bytes);
        ByteBuf second = Unpooled.EMPTY_BUFFER;
        try {
            second = allocator.directBuffer(bytes, bytes);
            region = domain.region().buffers(second).rights(right).register();
        } catch (RuntimeException | OutOfMemoryError e) {
            first.release();
            second.release();
            throw e;
        }
        readSink = region.slice(0, task.size());
        source = first.writeZero(task.size());
        sink = second.setZero(0, bytes);
        places = new ByteBuf[task.places()];
        for (int i = 0; i < places.length; i++) {
            places[i] = sink.slice(i * task.size(), task.size()).clear();
        }
    }

    /** Returns how many bytes the memory for a task takes. */
    static long bytes(PerfTask task) {
        return 2L * task.memoryBytes();
    }

    /** Returns the advertisement for the other side. */
    RemoteBuffer remoteBuffer() {
        return region.remoteBuffer();
    }

    /** Returns where the bytes of a Read arrive. */
    LocalBuffer readSink() {
        return readSink;
    }

    /** Returns a message of the task's size. */
    ByteBuf source() {
        return source;
    }

    /** Returns the place for the next message, empty. */
    ByteBuf nextPlace() {
        ByteBuf place = places[nextPlace];
        nextPlace = nextPlace + 1 == places.length ? 0 : nextPlace + 1;
        return place.clear();
    }

    /** Marks the last byte of the message, so that the other side sees the Write when it is there. */
    void mark(int number) {
        source.setByte(source.readableBytes() - 1, number);
    }

    /** Returns the mark that the other side wrote last. */
    byte marked() {
        return sink.getByte(source.readableBytes() - 1);
    }

    /** Invalidates the memory for the other side. Posted requests keep the buffers that they need. */
    @Override
    public void close() {
        region.close();
        sink.release();
        source.release();
    }
}
