package io.iwarp.tools.perf;

import java.util.Locale;

/** The modes of {@link PerfClient}, in the order of their numbers on the wire. */
enum PerfMode {
    /** Throughput with many operations in flight. */
    BANDWIDTH,

    /** Round-trip time of a single operation, to the peer's program and back. */
    LATENCY;

    /** As on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
