package io.iwarp.tools.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * A part of a measurement.
 *
 * @param end nanoseconds from the beginning of the measurement to the end of this part
 * @param nanos its duration
 * @param operations the number of operations in it
 * @param times of timed operations, in nanoseconds
 */
public record Interval(long end, long nanos, long operations, Histogram times) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double BYTES_PER_MEGABYTE = 1e6;

    /** Returns the titles of {@link #line}. */
    public static String titles() {
        return String.format(
                Locale.ROOT, "%8s %12s %9s %9s %9s %9s", "until s", "op/s", "MB/s", "p50 us", "p99 us", "max us");
    }

    /**
     * Returns the rates and times as a line of text.
     *
     * @param size bytes of an operation
     */
    public String line(long size) {
        return String.format(
                Locale.ROOT,
                "%8.2f %,12.0f %,9.1f %,9.1f %,9.1f %,9.1f",
                end / NANOS_PER_SECOND,
                perSecond(),
                perSecond() * size / BYTES_PER_MEGABYTE,
                times.getValueAtPercentile(50) / NANOS_PER_MICRO,
                times.getValueAtPercentile(99) / NANOS_PER_MICRO,
                times.getMaxValue() / NANOS_PER_MICRO);
    }

    /** Writes an object of JSON. */
    public void write(JsonGenerator json, long size) throws IOException {
        json.writeStartObject();
        Json.number(json, "seconds", nanos / NANOS_PER_SECOND, 6);
        Json.number(json, "bytesPerSecond", perSecond() * size, 0);
        json.writeEndObject();
    }

    private double perSecond() {
        return operations * NANOS_PER_SECOND / Math.max(1, nanos);
    }
}
