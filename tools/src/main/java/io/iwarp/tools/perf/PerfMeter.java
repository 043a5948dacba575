package io.iwarp.tools.perf;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Counts and times the operations of all connections of one event loop. Confined to that loop, except for
 * {@link #operations} and {@link #timed}.
 */
final class PerfMeter {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Histogram latencies = new Histogram(SIGNIFICANT_DIGITS);
    private final AtomicLong operations = new AtomicLong();
    private final AtomicLong timed = new AtomicLong();
    private long operationsAtBegin;
    private long allocatedAtBegin;
    private long beginNanos;

    /** Some operations are done. */
    void done(long count) {
        operations.setRelease(operations.getPlain() + count);
    }

    /** One operation took that long. */
    void took(long nanos) {
        latencies.recordValue(nanos);
        timed.setRelease(timed.getPlain() + 1);
    }

    /**
     * Returns the number of operations since the loop's first connection. Any thread may call it; the value is a
     * snapshot.
     */
    long operations() {
        return operations.getAcquire();
    }

    /** Returns the number of timed operations since the loop's first connection. Any thread may call it; a snapshot. */
    long timed() {
        return timed.getAcquire();
    }

    /** Starts a measurement and discards earlier values. */
    void begin() {
        latencies.reset();
        operationsAtBegin = operations.getPlain();
        allocatedAtBegin = threads.getCurrentThreadAllocatedBytes();
        beginNanos = System.nanoTime();
    }

    /** Returns the results since {@link #begin}. */
    PerfSlice end() {
        long nanos = System.nanoTime() - beginNanos;
        long allocated = threads.getCurrentThreadAllocatedBytes() - allocatedAtBegin;
        return new PerfSlice(operations.getPlain() - operationsAtBegin, nanos, allocated, latencies.copy());
    }
}
