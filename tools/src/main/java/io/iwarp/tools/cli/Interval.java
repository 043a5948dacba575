package io.iwarp.tools.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * A measurement, or a part of it.
 *
 * @param end nanoseconds from the beginning of the measurement to the end of this part
 * @param nanos its duration
 * @param operations the number of operations in it, of both sides
 * @param ofPeer the number of them that the peer posted
 * @param times of timed operations, in nanoseconds
 */
public record Interval(long end, long nanos, long operations, long ofPeer, Histogram times) {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double BYTES_PER_MEGABYTE = 1e6;

    /** Returns the titles of {@link #line}. */
    static String titles() {
        return String.format(
                Locale.ROOT, "%8s %12s %9s %9s %9s %9s", "until s", "op/s", "MB/s", "p50 us", "p99 us", "max us");
    }

    /**
     * Returns the rates and times as a line of text.
     *
     * @param size bytes of an operation
     */
    String line(long size) {
        return String.format(
                Locale.ROOT,
                "%8.2f %,12.0f %,9.1f %9s %9s %9s",
                end / NANOS_PER_SECOND,
                perSecond(),
                perSecond() * size / BYTES_PER_MEGABYTE,
                text(50),
                text(99),
                text(100));
    }

    private String text(double percentile) {
        double micros = micros(percentile);
        return Double.isNaN(micros) ? "-" : String.format(Locale.ROOT, "%,.1f", micros);
    }

    /**
     * Returns the result as two lines of text.
     *
     * @param size bytes of an operation; without any, operations are not a rate of bytes
     * @param noun what an operation is called
     */
    public List<String> summary(long size, String noun) {
        StringBuilder latency = new StringBuilder("min ").append(Bytes.time(times.getMinValue()));
        for (double percentile : PERCENTILES) {
            latency.append("  p")
                    .append(String.valueOf(percentile).replaceFirst("\\.0$", ""))
                    .append(' ')
                    .append(Bytes.time(times.getValueAtPercentile(percentile)));
        }
        return List.of(
                String.format(
                        Locale.ROOT,
                        "%s in %s: %,.0f/s%s",
                        Bytes.count(operations, noun),
                        Bytes.time(nanos),
                        perSecond(),
                        size == 0 ? "" : ", " + Bytes.rate(operations * size, nanos)),
                latency.append("  max ").append(Bytes.time(times.getMaxValue())).toString());
    }

    /** Writes the fields of JSON. */
    public void write(JsonGenerator json, long size) throws IOException {
        Json.number(json, "seconds", seconds(), 6);
        json.writeNumberField("operations", operations);
        Json.number(json, "bytesPerSecond", perSecond() * size, 0);
        if (ofPeer > 0) {
            Json.number(json, "bytesPerSecondFromServer", ofPeer / seconds() * size, 0);
        }
        Json.number(json, "operationsPerSecond", perSecond(), 1);
        Json.latencies(json, times);
    }

    /** Returns the duration in seconds. */
    public double seconds() {
        return nanos / NANOS_PER_SECOND;
    }

    /** Returns operations per second. */
    public double perSecond() {
        return operations / Math.max(seconds(), 1 / NANOS_PER_SECOND);
    }

    /** Returns a percentile of the times, their minimum for 0, their maximum for 100; NaN if none was timed. */
    public double micros(double percentile) {
        return times.getTotalCount() == 0
                ? Double.NaN
                : (percentile == 0 ? times.getMinValue() : times.getValueAtPercentile(percentile)) / NANOS_PER_MICRO;
    }
}
