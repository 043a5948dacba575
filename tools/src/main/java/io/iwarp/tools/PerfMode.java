package io.iwarp.tools;

import java.util.Locale;

/** What {@link PerfClient} asks. Each has a number, which goes over the wire. */
enum PerfMode {
    /** How much goes through when many operations are on their way. */
    BANDWIDTH(1),
    /** How long one operation takes when it is alone, to the peer's program and back. */
    LATENCY(2);

    private final int code;

    PerfMode(int code) {
        this.code = code;
    }

    /** Returns the number that goes over the wire. */
    int code() {
        return code;
    }

    /**
     * Returns the mode of that number.
     *
     * @throws IllegalArgumentException if there is none
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
