package io.iwarp.tools;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The memory of one side of a connection: what is sent from, received into, and registered for the other side. Confined
 * to the event loop once the connection is made.
 */
final class PerfMemory implements AutoCloseable {
    private final ByteBuf source;
    private final ByteBuf sink;
    private final ByteBuf[] places;
    private final MemoryRegion region;
    private int nextPlace;

    /** Allocates; all bytes are 0. */
    PerfMemory(ProtectionDomain domain, PerfTask task, AccessRight right) {
        int bytes = task.memoryBytes();
        source = ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes).writeZero(task.size());
        sink = ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes).setZero(0, bytes);
        places = new ByteBuf[task.places()];
        for (int i = 0; i < places.length; i++) {
            places[i] = sink.slice(i * task.size(), task.size()).clear();
        }
        region = domain.region().buffers(sink).rights(right).register();
    }

    /** Returns the advertisement for the other side. */
    RemoteBuffer remoteBuffer() {
        return region.remoteBuffer();
    }

    /** Returns where the other side's bytes arrive. */
    MemoryRegion region() {
        return region;
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
