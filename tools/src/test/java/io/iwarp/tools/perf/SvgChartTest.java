package io.iwarp.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.cli.Bytes;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;

/** What a reader finds in a chart: numbers on both axes, and each curve with its name inside of the picture. */
class SvgChartTest {
    /** Of a wide font, in pixels at the size of the labels. */
    private static final double WIDEST_DIGIT = 7;

    private static List<SvgChart.Point> doubling(long first, long last, double value, double factor) {
        return LongStream.iterate(first, size -> size <= last, size -> 2 * size)
                .mapToObj(size -> new SvgChart.Point(
                        size, value * Math.pow(factor, Math.log((double) size / first) / Math.log(2))))
                .toList();
    }

    private static SvgChart chart() {
        return new SvgChart("MB/s", value -> String.valueOf((long) value));
    }

    @ParameterizedTest
    @CsvSource({
        "64, 4194304, 64 1K 16K 256K 4M",
        "64, 1048576, 64 1K 16K 256K 1M",
        "1, 1073741824, 1 256 64K 16M 1G",
        "1024, 4096, 1K 2K 4K",
    })
    void sizesHaveALogarithmicAxisToBaseTwo(long first, long last, String labels) throws Exception {
        SvgChart chart = chart();
        chart.add("a", doubling(first, last, 100, 1));
        Svg svg = Svg.of(chart.svg());

        assertThat(svg.labels("x")).containsExactly(labels.split(" ", -1));
        List<Double> curve = svg.curves().get(0);
        double step = curve.get(2) - curve.get(0);
        for (int i = 2; i < curve.size(); i += 2) {
            assertThat(curve.get(i) - curve.get(i - 2)).isBetween(step - 0.11, step + 0.11);
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 1, 0 50 100", "1, 2, 1 10 50", "30, 1.2, 0 20 40 60 80", "5, 5, 1 10 100 1000 10000"})
    void theOtherAxisAlwaysHasNumbersThatSpanAllValues(double first, double factor, String labels) throws Exception {
        SvgChart chart = chart();
        chart.add("a", doubling(64, 64 << (factor == 5 ? 4 : 5), first, factor));
        Svg svg = Svg.of(chart.svg());

        assertThat(svg.labels("y")).contains(labels.split(" ", -1)).hasSizeBetween(2, 10);
        List<Double> ticks = svg.texts("y").stream()
                .map(text -> Double.parseDouble(text.getAttribute("y")) - 4)
                .sorted()
                .toList();
        List<Double> curve = svg.curves().get(0);
        for (int i = 1; i < curve.size(); i += 2) {
            assertThat(curve.get(i)).isBetween(ticks.get(0) - 0.1, ticks.get(ticks.size() - 1) + 0.1);
        }
    }

    @Test
    void theLongestNumberOfTheOtherAxisFitsIntoThePicture() throws Exception {
        SvgChart chart = new SvgChart("op/s", value -> String.format(Locale.ROOT, "%,d", (long) value));
        chart.add("op/s", doubling(64, 1024, 9_000_000, 0.5));
        Svg svg = Svg.of(chart.svg());

        assertThat(svg.labels("y")).contains("10,000,000");
        for (Element number : svg.texts("y")) {
            double width = WIDEST_DIGIT * number.getTextContent().length();
            assertThat(Double.parseDouble(number.getAttribute("x"))).isGreaterThan(width);
        }
    }

    @Test
    void namesStandBesideTheEndsOfTheirCurvesAndDoNotOverlap() throws Exception {
        SvgChart chart = chart();
        chart.add("p50", doubling(64, 65536, 100, 1));
        chart.add("p99", doubling(64, 65536, 101, 1));
        chart.add("p99.9", doubling(64, 65536, 102, 1));
        Svg svg = Svg.of(chart.svg());

        assertThat(svg.labels("name")).containsExactly("p99.9", "p99", "p50");
        List<Element> names = svg.texts("name");
        for (int i = 0; i < names.size(); i++) {
            assertThat(Double.parseDouble(names.get(i).getAttribute("x"))).isLessThan(svg.width() - 30);
            assertThat(Double.parseDouble(names.get(i).getAttribute("y"))).isBetween(10.0, svg.height());
            if (i > 0) {
                assertThat(Double.parseDouble(names.get(i).getAttribute("y"))
                                - Double.parseDouble(names.get(i - 1).getAttribute("y")))
                        .isGreaterThanOrEqualTo(11);
            }
        }
        assertThat(svg.curves())
                .hasSize(3)
                .allSatisfy(curve -> assertThat(curve).hasSize(22));
    }

    @Test
    void whatALogarithmicAxisCannotShowIsLeftOut() throws Exception {
        SvgChart chart = chart();
        chart.add(
                "a",
                List.of(
                        new SvgChart.Point(0, 5),
                        new SvgChart.Point(64, 5),
                        new SvgChart.Point(128, 0),
                        new SvgChart.Point(256, 6)));

        assertThat(Svg.of(chart.svg()).curves().get(0)).hasSize(4);
    }

    @Test
    void oneSizeIsNoCurve() {
        SvgChart chart = chart();
        assertThat(chart.worthwhile()).isFalse();
        chart.add("a", List.of(new SvgChart.Point(64, 5)));
        chart.add("b", List.of(new SvgChart.Point(64, 7)));

        assertThat(chart.worthwhile()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 us",
        "20000, 20 us",
        "31400, 31.4 us",
        "2500000, 2.5 ms",
        "1000000, 1 ms",
        "1000000000, 1 s",
        "1250000000, 1.25 s"
    })
    void timesAreShort(long nanos, String text) {
        assertThat(Bytes.shortTime(nanos)).isEqualTo(text);
    }
}
