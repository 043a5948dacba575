package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.Version;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The results of one client as a self-contained page: the set-up, charts over the size, and all numbers. There is no
 * chart for a single size.
 */
final class PerfReport {
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final String STYLE = "body{font-family:sans-serif;max-width:46em;margin:1em auto;padding:0 .7em}"
            + "h1{font-size:1.4em}h2{font-size:1.1em;margin:1em 0 .2em}"
            + "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em}dd{margin:0;overflow-wrap:anywhere}"
            + "pre{white-space:pre-wrap}svg{width:100%;height:auto;font-size:11px}.grid{stroke:#ddd}.x,.y,.unit{fill:#333}"
            + ".table{overflow-x:auto}table{border-collapse:collapse}"
            + "th,td{text-align:right;padding:.2em .7em;border-bottom:1px solid #ccc;font-variant-numeric:tabular-nums}";

    private final List<PerfResult> results;
    private final String commandLine;

    /**
     * @param results at least one, of the same operation and in the same mode, by rising size
     * @param arguments of the command
     */
    PerfReport(List<PerfResult> results, List<String> arguments) {
        this.results = List.copyOf(results);
        this.commandLine = "iwarp " + String.join(" ", arguments);
    }

    /** Returns the page, in HTML. */
    String html() {
        PerfTask task = results.get(0).plan().task();
        String title = "iwarp perf: " + task.operation() + ", " + task.mode();
        StringBuilder page = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>")
                .append(title)
                .append("</title><style>")
                .append(STYLE)
                .append("</style></head>\n<body>\n<h1>")
                .append(title)
                .append("</h1>\n<dl>\n");
        fact(
                page,
                "date",
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss z", Locale.ROOT)
                        .format(ZonedDateTime.now(ZoneId.systemDefault())));
        fact(page, "version", Version.text());
        fact(page, "host", host());
        fact(page, "command", commandLine);
        fact(page, "measured", results.get(0).conditions());
        page.append("</dl>\n");
        chart(page, "Throughput in MB/s", throughput());
        chart(page, "Operations per second", rate());
        chart(page, task.mode() == PerfMode.LATENCY ? "Round trip" : "Time from posting to completion", latency());
        appendTable(page);
        return page.append("</body>\n</html>\n").toString();
    }

    private static void fact(StringBuilder page, String name, String value) {
        String text = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        page.append("<dt>").append(name).append("</dt><dd>").append(text).append("</dd>\n");
    }

    private static String host() {
        String name;
        try {
            name = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            name = "unknown";
        }
        return name + ": " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, Java " + System.getProperty("java.version");
    }

    private SvgChart throughput() {
        SvgChart chart = new SvgChart("throughput", PerfReport::number);
        add(chart, "MB/s", result -> result.bytesPerSecond() / BYTES_PER_MEGABYTE);
        return chart;
    }

    private SvgChart rate() {
        SvgChart chart = new SvgChart("operations per second", PerfReport::number);
        add(chart, "op/s", PerfResult::operationsPerSecond);
        return chart;
    }

    private SvgChart latency() {
        SvgChart chart = new SvgChart("time", micros -> Bytes.shortTime(Math.round(micros * NANOS_PER_MICRO)));
        add(chart, "p50", result -> result.latencyMicros(50));
        add(chart, "p99", result -> result.latencyMicros(99));
        add(chart, "p99.9", result -> result.latencyMicros(99.9));
        return chart;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 && value != Math.rint(value) ? "%,.2f" : "%,.0f", value);
    }

    private void add(SvgChart chart, String name, ToDoubleFunction<PerfResult> value) {
        chart.add(
                name,
                results.stream()
                        .map(result -> new SvgChart.Point(result.plan().task().size(), value.applyAsDouble(result)))
                        .toList());
    }

    private static void chart(StringBuilder page, String title, SvgChart chart) {
        if (chart.worthwhile()) {
            page.append("<h2>").append(title).append("</h2>\n").append(chart.svg());
        }
    }

    private void appendTable(StringBuilder page) {
        page.append("<h2>Numbers</h2>\n<div class=\"table\"><table>\n<tr>");
        PerfColumn.ALL.forEach(
                column -> page.append("<th>").append(column.title()).append("</th>"));
        page.append("</tr>\n");
        for (PerfResult result : results) {
            page.append("<tr>");
            PerfColumn.ALL.forEach(
                    column -> page.append("<td>").append(column.text(result)).append("</td>"));
            page.append("</tr>\n");
        }
        page.append("</table></div>\n<pre>\n");
        PerfColumn.explanations(results.get(0))
                .forEach(line -> page.append(line).append('\n'));
        page.append("</pre>\n");
    }
}
