package io.iwarp.tools;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.ChartTheme;
import org.knowm.xchart.style.Styler.LegendPosition;

/** The results of one client as a page that needs no other file: how it was measured, curves over the size, all numbers. */
final class PerfReport {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 420;
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final String STYLE = "body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
            + "img{max-width:100%}table{border-collapse:collapse}"
            + "th,td{text-align:right;padding:.2em .7em;border-bottom:1px solid #ccc;font-variant-numeric:tabular-nums}";

    private final List<PerfResult> results;

    /**
     * @param results at least one, of the same operation and in the same mode, by rising size
     */
    PerfReport(List<PerfResult> results) {
        this.results = List.copyOf(results);
    }

    /** {@return the page, in HTML} */
    String html() throws IOException {
        // Drawing into memory needs no screen, but without this the JDK may look for one.
        System.setProperty("java.awt.headless", "true");
        String title = "iwarp perf: " + results.get(0).plan().task().operation() + ", "
                + results.get(0).plan().task().mode();
        StringBuilder page = new StringBuilder(
                        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>")
                .append(title)
                .append("</title><style>")
                .append(STYLE)
                .append("</style></head>\n<body>\n<h1>")
                .append(title)
                .append("</h1>\n<p>")
                .append(results.get(0).conditions())
                .append("</p>\n<p>")
                .append(machine())
                .append("</p>\n");
        page.append(image("Throughput in MB/s", throughput()));
        page.append(image("Operations per second", rate()));
        page.append(image("Latency in microseconds", latency()));
        appendTable(page);
        return page.append("</body>\n</html>\n").toString();
    }

    private static String machine() {
        return "Client: " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, Java " + System.getProperty("java.version");
    }

    private XYChart throughput() {
        XYChart chart = chart("Throughput", "MB/s");
        add(chart, "MB/s", result -> result.bytesPerSecond() / BYTES_PER_MEGABYTE);
        return chart;
    }

    private XYChart rate() {
        XYChart chart = chart("Operations", "operations per second");
        add(chart, "operations/s", PerfResult::operationsPerSecond);
        return chart;
    }

    private XYChart latency() {
        XYChart chart = chart("Latency", "microseconds");
        add(chart, "50%", result -> result.latencyMicros(50));
        add(chart, "99%", result -> result.latencyMicros(99));
        add(chart, "99.9%", result -> result.latencyMicros(99.9));
        return chart;
    }

    private static XYChart chart(String title, String unit) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle("bytes of each operation")
                .yAxisTitle(unit)
                .theme(ChartTheme.Matlab)
                .build();
        chart.getStyler()
                .setXAxisLogarithmic(true)
                .setYAxisLogarithmic(true)
                .setLegendPosition(LegendPosition.InsideNW);
        return chart;
    }

    /** The axes are logarithmic, so what is 0 is not shown. */
    private void add(XYChart chart, String name, ToDoubleFunction<PerfResult> value) {
        List<PerfResult> shown = results.stream()
                .filter(result -> result.plan().task().size() > 0 && value.applyAsDouble(result) > 0)
                .toList();
        if (!shown.isEmpty()) {
            double[] sizes = shown.stream()
                    .mapToDouble(result -> result.plan().task().size())
                    .toArray();
            chart.addSeries(name, sizes, shown.stream().mapToDouble(value).toArray());
        }
    }

    private static String image(String text, XYChart chart) throws IOException {
        if (chart.getSeriesMap().isEmpty()) {
            return "";
        }
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        BitmapEncoder.saveBitmap(chart, png, BitmapFormat.PNG);
        return "<p><img alt=\"" + text + "\" src=\"data:image/png;base64,"
                + Base64.getEncoder().encodeToString(png.toByteArray()) + "\"></p>\n";
    }

    private void appendTable(StringBuilder page) {
        page.append("<table>\n<tr>");
        PerfColumn.ALL.forEach(
                column -> page.append("<th>").append(column.title()).append("</th>"));
        page.append("</tr>\n");
        for (PerfResult result : results) {
            page.append("<tr>");
            PerfColumn.ALL.forEach(
                    column -> page.append("<td>").append(column.text(result)).append("</td>"));
            page.append("</tr>\n");
        }
        page.append("</table>\n");
    }
}
