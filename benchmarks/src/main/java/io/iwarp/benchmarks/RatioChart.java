package io.iwarp.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/** Draws how far each figure of a comparison is from what it has to reach. */
final class RatioChart {
    private static final int WIDTH = 1100;
    private static final int HEIGHT = 520;
    private static final int RESOLUTION = 96;

    private RatioChart() {}

    /** Arguments: a file with lines of a label, a tab and a number; where the picture goes, without its ending. */
    static void draw(String[] arguments) throws IOException {
        List<String> labels = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            int tab = line.indexOf('\t');
            labels.add(line.substring(0, tab));
            values.add(Double.valueOf(line.substring(tab + 1)));
        }
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("Reached / required (1.0 is the requirement; more is better)")
                .yAxisTitle("times the requirement")
                .build();
        chart.getStyler()
                .setYAxisLogarithmic(true)
                .setYAxisMin(Math.min(0.1, Collections.min(values)))
                .setXAxisLabelRotation(60)
                .setLegendVisible(false)
                .setLegendPosition(Styler.LegendPosition.InsideN);
        chart.addSeries("reached / required", labels, values);
        BitmapEncoder.saveBitmapWithDPI(chart, arguments[1], BitmapEncoder.BitmapFormat.PNG, RESOLUTION);
    }
}
