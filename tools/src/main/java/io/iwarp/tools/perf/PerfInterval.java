package io.iwarp.tools.perf;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One part of a measurement.
 *
 * @param operations how many were done
 * @param nanos in what time
 */
record PerfInterval(long operations, long nanos) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MEGABYTE = 1e6;

    /** Returns lines of text: when each interval ends, and its rate. */
    static List<String> table(PerfResult result) {
        int size = result.plan().task().size();
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "%8s %9s %12s", "until s", "MB/s", "op/s"));
        long end = 0;
        for (PerfInterval interval : result.intervals()) {
            end += interval.nanos;
            double rate = interval.operationsPerSecond();
            lines.add(String.format(
                    Locale.ROOT,
                    "%8.2f %,9.1f %,12.0f",
                    end / NANOS_PER_SECOND,
                    rate * size / BYTES_PER_MEGABYTE,
                    rate));
        }
        return lines;
    }

    /** Writes an object of JSON. */
    void write(JsonGenerator json, int size) throws IOException {
        json.writeStartObject();
        Json.number(json, "seconds", nanos / NANOS_PER_SECOND, 6);
        Json.number(json, "bytesPerSecond", operationsPerSecond() * size, 0);
        json.writeEndObject();
    }

    private double operationsPerSecond() {
        return operations * NANOS_PER_SECOND / nanos;
    }
}
