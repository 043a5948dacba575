package io.iwarp.tools.perf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An axis that shows all of some values, with at least two numbers on it. It is logarithmic if the values span more than a
 * factor of {@value #LINEAR_SPAN}, and begins at 0 otherwise.
 *
 * @param logarithmic whether equal distances are equal factors
 * @param ticks where the numbers are, rising; the first and the last one are the ends of the axis
 */
record ValueAxis(boolean logarithmic, List<Double> ticks) {
    private static final double LINEAR_SPAN = 20;
    private static final double TEN = 10;
    private static final int MOST_DECADES_WITH_STEPS = 2;
    private static final int MOST_LINEAR_TICKS = 5;

    /** Returns an axis for values, which are more than 0. */
    static ValueAxis of(double... values) {
        double least = Arrays.stream(values).min().orElse(1);
        double greatest = Arrays.stream(values).max().orElse(1);
        return greatest / least > LINEAR_SPAN
                ? new ValueAxis(true, logarithmicTicks(least, greatest))
                : new ValueAxis(false, linearTicks(greatest));
    }

    private static List<Double> logarithmicTicks(double least, double greatest) {
        double decades = Math.log10(greatest / least);
        double[] steps = decades > MOST_DECADES_WITH_STEPS ? new double[] {1} : new double[] {1, 2, 5};
        List<Double> ticks = new ArrayList<>();
        for (double decade = Math.pow(TEN, Math.floor(Math.log10(least))); ; decade *= TEN) {
            for (double step : steps) {
                double tick = decade * step;
                if (tick <= least) {
                    // Only the last one at or below the least value is needed.
                    ticks.clear();
                }
                ticks.add(tick);
                if (tick >= greatest) {
                    return ticks;
                }
            }
        }
    }

    private static List<Double> linearTicks(double greatest) {
        double step = Math.pow(TEN, Math.floor(Math.log10(greatest)));
        if (greatest / step <= MOST_LINEAR_TICKS / 2.0) {
            step /= 2;
        }
        if (greatest / step > MOST_LINEAR_TICKS) {
            step *= 2;
        }
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; ; i++) {
            ticks.add(i * step);
            if (i > 0 && i * step >= greatest) {
                return ticks;
            }
        }
    }

    /** Returns where a value is between the ends of the axis, 0 to 1. */
    double share(double value) {
        double first = ticks.get(0);
        double last = ticks.get(ticks.size() - 1);
        return logarithmic ? Math.log(value / first) / Math.log(last / first) : (value - first) / (last - first);
    }
}
