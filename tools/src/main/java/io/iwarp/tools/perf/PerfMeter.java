package io.iwarp.tools.perf;

import com.sun.management.ThreadMXBean;
import io.iwarp.tools.cli.Meter;
import java.lang.management.ManagementFactory;

/** The meter of all connections of one event loop, with what the loop allocates. Confined to that loop. */
final class PerfMeter extends Meter {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long operationsAtBegin;
    private long allocatedAtBegin;
    private long beginNanos;

    /** Starts a measurement. */
    void begin() {
        operationsAtBegin = operations();
        allocatedAtBegin = threads.getCurrentThreadAllocatedBytes();
        beginNanos = System.nanoTime();
    }

    /** Returns the results since {@link #begin}. */
    PerfSlice end() {
        long nanos = System.nanoTime() - beginNanos;
        long allocated = threads.getCurrentThreadAllocatedBytes() - allocatedAtBegin;
        return new PerfSlice(operations() - operationsAtBegin, nanos, allocated);
    }
}
