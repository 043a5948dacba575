package io.iwarp.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * One of the numbers that a measurement has, as a column of a table.
 *
 * @param title what it is, and in which unit
 * @param decimals how many to show
 * @param value of one measurement
 */
record PerfColumn(String title, int decimals, ToDoubleFunction<PerfResult> value) {
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final int LEAST_WIDTH = 8;

    /** All columns. */
    static final List<PerfColumn> ALL = List.of(
            new PerfColumn("bytes", 0, result -> result.plan().task().size()),
            new PerfColumn("MB/s", 1, result -> result.bytesPerSecond() / BYTES_PER_MEGABYTE),
            new PerfColumn("per second", 0, PerfResult::operationsPerSecond),
            new PerfColumn("p50 us", 1, result -> result.latencyMicros(50)),
            new PerfColumn("p99 us", 1, result -> result.latencyMicros(99)),
            new PerfColumn("p99.9 us", 1, result -> result.latencyMicros(99.9)),
            new PerfColumn("max us", 1, result -> result.latencyMicros(100)),
            new PerfColumn("heap/op", 1, PerfResult::allocatedPerOperation),
            new PerfColumn("at server", 1, PerfResult::serverAllocatedPerOperation),
            new PerfColumn("CPU s/GB", 3, PerfResult::cpuSecondsPerGigabyte),
            new PerfColumn("at server", 3, PerfResult::serverCpuSecondsPerGigabyte));

    /** {@return the number as people read it} */
    String text(PerfResult result) {
        return String.format(Locale.ROOT, "%,." + decimals + "f", value.applyAsDouble(result));
    }

    /** {@return lines of text, the first one with the titles} */
    static List<String> table(List<PerfResult> results) {
        List<StringBuilder> lines = new ArrayList<>();
        for (int i = 0; i <= results.size(); i++) {
            lines.add(new StringBuilder());
        }
        for (PerfColumn column : ALL) {
            List<String> cells = results.stream().map(column::text).toList();
            int longest = cells.stream().mapToInt(String::length).max().orElse(0);
            int width = Math.max(LEAST_WIDTH, Math.max(column.title.length(), longest)) + 1;
            lines.get(0).append(String.format(Locale.ROOT, "%" + width + "s", column.title));
            for (int i = 0; i < cells.size(); i++) {
                lines.get(i + 1).append(String.format(Locale.ROOT, "%" + width + "s", cells.get(i)));
            }
        }
        return lines.stream().map(StringBuilder::toString).toList();
    }
}
