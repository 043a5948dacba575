package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * Curves over the size of operations, as SVG to be put into an HTML page. The size has a logarithmic axis to base 2;
 * each curve has its name at its right end. The text is legible when the chart is as narrow as a phone.
 */
final class SvgChart {
    private static final int WIDTH = 400;
    private static final int HEIGHT = 240;
    private static final int LEFT = 78;
    private static final int RIGHT = 48;
    private static final int TOP = 12;
    private static final int BOTTOM = 40;
    private static final int MOST_SIZE_LABELS = 6;
    private static final int LINE_HEIGHT = 13;
    private static final String[] COLORS = {"#0b5394", "#b45f06", "#8e1b2f"};

    private final String unit;
    private final DoubleFunction<String> label;
    private final List<Curve> curves = new ArrayList<>();

    /**
     * A curve.
     *
     * @param name at its end
     * @param points at least one
     */
    private record Curve(String name, List<Point> points) {}

    /**
     * A point of a curve.
     *
     * @param size in bytes, at least 1
     * @param value more than 0
     */
    record Point(long size, double value) {}

    /**
     * @param unit what the vertical axis shows
     * @param label writes a value of that axis
     */
    SvgChart(String unit, DoubleFunction<String> label) {
        this.unit = unit;
        this.label = label;
    }

    /** Adds a curve; points of a size or value that a logarithmic axis cannot show are left out. */
    void add(String name, List<Point> points) {
        List<Point> shown = points.stream()
                .filter(point -> point.size > 0 && point.value > 0)
                .toList();
        if (!shown.isEmpty()) {
            curves.add(new Curve(name, shown));
        }
    }

    /** Returns whether there are at least two sizes: less is no curve. */
    boolean worthwhile() {
        return points().stream().map(Point::size).distinct().count() > 1;
    }

    private List<Point> points() {
        return curves.stream().flatMap(curve -> curve.points.stream()).toList();
    }

    /** Returns the chart. */
    String svg() {
        ValueAxis values =
                ValueAxis.of(points().stream().mapToDouble(Point::value).toArray());
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s over size\">\n",
                WIDTH,
                HEIGHT,
                unit));
        for (double tick : values.ticks()) {
            line(svg, "grid", LEFT, y(values, tick), WIDTH - RIGHT, y(values, tick));
            text(svg, "y", "end", LEFT - 6, y(values, tick) + 4, label.apply(tick));
        }
        for (int exponent : sizeExponents()) {
            double x = x(Math.scalb(1.0, exponent));
            line(svg, "grid", x, TOP, x, HEIGHT - BOTTOM);
            text(svg, "x", "middle", x, HEIGHT - BOTTOM + 15, sizeLabel(exponent));
        }
        text(svg, "unit", "middle", (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, "bytes of each operation");
        for (int i = 0; i < curves.size(); i++) {
            draw(svg, curves.get(i), COLORS[i % COLORS.length], values);
        }
        nameCurves(svg, values);
        return svg.append("</svg>\n").toString();
    }

    private void draw(StringBuilder svg, Curve curve, String color, ValueAxis values) {
        StringBuilder line = new StringBuilder();
        StringBuilder marks = new StringBuilder();
        for (Point point : curve.points) {
            double x = x((double) point.size);
            double y = y(values, point.value);
            line.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
            marks.append(String.format(
                    Locale.ROOT,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"><title>%s: %s</title></circle>\n",
                    x,
                    y,
                    color,
                    Bytes.size(point.size),
                    label.apply(point.value)));
        }
        svg.append(String.format(
                Locale.ROOT,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>%n",
                line.toString().strip(),
                color));
        svg.append(marks);
    }

    /** Names stand beside the last points, from the top down, and are moved apart where they would overlap. */
    private void nameCurves(StringBuilder svg, ValueAxis values) {
        List<Curve> fromTheTop = curves.stream()
                .sorted(Comparator.comparingDouble((Curve curve) -> y(values, last(curve).value)))
                .toList();
        double next = TOP;
        for (Curve curve : fromTheTop) {
            double y = Math.max(next, y(values, last(curve).value) + 4);
            svg.append(String.format(
                    Locale.ROOT,
                    "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>%n",
                    x((double) last(curve).size) + 6,
                    y,
                    COLORS[curves.indexOf(curve) % COLORS.length],
                    curve.name));
            next = y + LINE_HEIGHT;
        }
    }

    private static Point last(Curve curve) {
        return curve.points.get(curve.points.size() - 1);
    }

    private List<Integer> sizeExponents() {
        int first = (int) Math.ceil(log2(smallest()));
        int last = (int) Math.floor(log2(greatest()));
        int step = 1;
        while ((last - first) / step >= MOST_SIZE_LABELS) {
            step *= 2;
        }
        List<Integer> exponents = new ArrayList<>();
        for (int exponent = first; exponent <= last; exponent += step) {
            exponents.add(exponent);
        }
        if (last - exponents.get(exponents.size() - 1) >= Math.max(1, step / 2)) {
            exponents.add(last);
        }
        return exponents;
    }

    /** Returns for example 64, 1K or 4M. */
    private static String sizeLabel(int exponent) {
        String prefix = new String[] {"", "K", "M", "G"}[exponent / 10];
        return (1 << exponent % 10) + prefix;
    }

    private double smallest() {
        return points().stream().mapToLong(Point::size).min().orElse(1);
    }

    private double greatest() {
        return points().stream().mapToLong(Point::size).max().orElse(1);
    }

    private double x(double size) {
        double span = Math.max(1e-9, log2(greatest()) - log2(smallest()));
        return LEFT + (log2(size) - log2(smallest())) / span * (WIDTH - RIGHT - LEFT);
    }

    private static double y(ValueAxis values, double value) {
        return HEIGHT - BOTTOM - values.share(value) * (HEIGHT - BOTTOM - TOP);
    }

    private static double log2(double value) {
        return Math.log(value) / Math.log(2);
    }

    private static void line(StringBuilder svg, String kind, double x1, double y1, double x2, double y2) {
        svg.append(String.format(
                Locale.ROOT,
                "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
                kind,
                x1,
                y1,
                x2,
                y2));
    }

    private static void text(StringBuilder svg, String kind, String anchor, double x, double y, String text) {
        svg.append(String.format(
                Locale.ROOT,
                "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>%n",
                kind,
                anchor,
                x,
                y,
                text));
    }
}
