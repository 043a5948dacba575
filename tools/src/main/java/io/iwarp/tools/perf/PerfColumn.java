package io.iwarp.tools.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * One value of a measurement, as a column of a table.
 *
 * @param title what it is, and in which unit
 * @param decimals how many to show
 * @param value of one measurement
 */
record PerfColumn(String title, int decimals, ToDoubleFunction<PerfResult> value) {
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final double BITS_PER_GIGABIT = 1e9;
    private static final int MIN_WIDTH = 8;

    /** All columns. */
    static final List<PerfColumn> ALL = List.of(
            new PerfColumn("bytes", 0, result -> result.plan().task().size()),
            new PerfColumn("MB/s", 1, result -> result.bytesPerSecond() / BYTES_PER_MEGABYTE),
            new PerfColumn("Gbit/s", 3, result -> result.bytesPerSecond() * Byte.SIZE / BITS_PER_GIGABIT),
            new PerfColumn("op/s", 0, result -> result.total().perSecond()),
            new PerfColumn("min us", 1, result -> result.total().micros(0)),
            new PerfColumn("p50 us", 1, result -> result.total().micros(50)),
            new PerfColumn("p99 us", 1, result -> result.total().micros(99)),
            new PerfColumn("p99.9 us", 1, result -> result.total().micros(99.9)),
            new PerfColumn("p99.99 us", 1, result -> result.total().micros(99.99)),
            new PerfColumn("max us", 1, result -> result.total().micros(100)),
            new PerfColumn("client B/op", 1, PerfResult::allocatedPerOperation),
            new PerfColumn("server B/op", 1, PerfResult::serverAllocatedPerOperation),
            new PerfColumn("client s/GB", 3, PerfResult::cpuSecondsPerGigabyte),
            new PerfColumn("server s/GB", 3, PerfResult::serverCpuSecondsPerGigabyte));

    /** Returns the number as formatted text, - if it is unknown. */
    String text(PerfResult result) {
        double number = value.applyAsDouble(result);
        return Double.isNaN(number) ? "-" : String.format(Locale.ROOT, "%,." + decimals + "f", number);
    }

    /** Returns the legend of the columns, as lines of text. */
    static List<String> explanations(PerfPlan plan) {
        List<String> lines = new ArrayList<>(List.of(
                "bytes          size of an operation",
                "MB/s, Gbit/s   payload in 10^6 bytes and 10^9 bits per second",
                "op/s           operations per second"));
        if (plan.task().mode() == PerfMode.LATENCY) {
            lines.add("min ... max    round trip: to the program of the server and back, in microseconds: minimum,"
                    + " percentiles, maximum");
        } else {
            lines.add(
                    "min ... max    time of an operation from its posting to its completion, in microseconds: minimum,"
                            + " percentiles, maximum");
            lines.add("               A Send or Write is complete when TCP has taken it: --mode latency measures round"
                    + " trips.");
        }
        if (plan.rate() > 0) {
            lines.add("               With --rate each counts from the time when it was due (corrected for coordinated"
                    + " omission).");
        }
        lines.add("B/op           bytes allocated on the Java heap for each operation");
        lines.add("s/GB           processor seconds of the whole process for 10^9 bytes of payload");
        return lines;
    }

    /** Returns lines of text, the first one with the titles. */
    static List<String> table(List<PerfResult> results) {
        List<StringBuilder> lines = new ArrayList<>();
        for (int i = 0; i <= results.size(); i++) {
            lines.add(new StringBuilder());
        }
        for (PerfColumn column : ALL) {
            List<String> cells = results.stream().map(column::text).toList();
            int longest = cells.stream().mapToInt(String::length).max().orElse(0);
            int width = Math.max(MIN_WIDTH, Math.max(column.title.length(), longest)) + 1;
            lines.get(0).append(String.format(Locale.ROOT, "%" + width + "s", column.title));
            for (int i = 0; i < cells.size(); i++) {
                lines.get(i + 1).append(String.format(Locale.ROOT, "%" + width + "s", cells.get(i)));
            }
        }
        return lines.stream().map(StringBuilder::toString).toList();
    }
}
