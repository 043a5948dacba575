package io.iwarp.tools.perf;

import org.HdrHistogram.Histogram;

/**
 * What one event loop measured.
 *
 * @param operations how many were done
 * @param nanos in what time
 * @param allocated bytes that the loop's thread allocated on the heap meanwhile
 * @param latencies in nanoseconds, of all operations or of some
 */
record PerfSlice(long operations, long nanos, long allocated, Histogram latencies) {}
