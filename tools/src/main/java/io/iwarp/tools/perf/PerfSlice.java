package io.iwarp.tools.perf;

/**
 * What one event loop measured.
 *
 * @param operations the number of operations
 * @param nanos the duration
 * @param allocated bytes that the loop's thread allocated on the heap meanwhile
 */
record PerfSlice(long operations, long nanos, long allocated) {}
