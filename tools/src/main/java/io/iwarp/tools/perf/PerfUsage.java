package io.iwarp.tools.perf;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.iwarp.tools.cli.EventLoops;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/**
 * The resource usage of a process so far. Its encoding is the six numbers, big-endian.
 *
 * @param nanos time of the sample, on the clock of this process
 * @param cpuNanos of all its threads
 * @param allocated bytes that its event loops have allocated on the heap
 * @param heap bytes in use on the heap
 * @param direct bytes that Netty's allocator holds outside of the heap
 * @param wire bytes on the wire of all measured connections, in both directions
 */
record PerfUsage(long nanos, long cpuNanos, long allocated, long heap, long direct, long wire) {
    /** Length in bytes. */
    static final int ENCODED_LENGTH = 6 * Long.BYTES;

    /** Returns the resource usage of this process. */
    static PerfUsage now(long wire) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            // Null for a thread that has just ended, and then -1.
            if (thread != null && thread.getThreadName().startsWith(EventLoops.THREADS)) {
                allocated += Math.max(0, threads.getThreadAllocatedBytes(thread.getThreadId()));
            }
        }
        long direct = ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider provider
                ? provider.metric().usedDirectMemory()
                : 0;
        return new PerfUsage(
                System.nanoTime(),
                ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime(),
                allocated,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                direct,
                wire);
    }

    /** As {@link #now}, with nothing on the heap that is not in use. Takes a moment. */
    static PerfUsage collected(long wire) {
        System.gc();
        return now(wire);
    }

    /** Returns the encoding on the heap; it needs no release. */
    ByteBuf encode() {
        return Unpooled.copyLong(nanos, cpuNanos, allocated, heap, direct, wire);
    }

    static PerfUsage decode(ByteBuf in) {
        return new PerfUsage(in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong());
    }

    /** Returns the usage between {@code before} and this. */
    PerfUsage since(PerfUsage before) {
        return new PerfUsage(
                nanos - before.nanos,
                cpuNanos - before.cpuNanos,
                Math.max(0, allocated - before.allocated),
                heap - before.heap,
                direct - before.direct,
                wire - before.wire);
    }
}
