package io.iwarp.tools.perf;

import java.util.Locale;

/** The modes of {@link PerfClient}. Each has a number on the wire. */
enum PerfMode {
    /** Throughput with many operations in flight. */
    BANDWIDTH(1),
    /** Round-trip time of a single operation, to the peer's program and back. */
    LATENCY(2);

    private final int code;

    PerfMode(int code) {
        this.code = code;
    }

    /** Returns the number on the wire. */
    int code() {
        return code;
    }

    /**
     * Returns the mode of that number.
     *
     * @throws IllegalArgumentException if the number is unknown
     */
    static PerfMode of(int code) {
        for (PerfMode mode : values()) {
            if (mode.code == code) {
                return mode;
            }
        }
        throw new IllegalArgumentException(
                "this perf server knows no mode " + code + ": use the same version on both sides");
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
