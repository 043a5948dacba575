package io.iwarp.tools.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** When a measurement begins and ends. */
public final class EndOptions {
    private static final double DEFAULT_DURATION = 5;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            description = "How long to measure. Default: " + DEFAULT_DURATION)
    private @Nullable Double duration;

    @Option(names = "--count", paramLabel = "N", description = "How many operations to measure, instead of a time.")
    private @Nullable Long count;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "How long to run before the measurement, so that the JVM compiles the code.")
    private double warmup;

    /**
     * Checks the options.
     *
     * @param clients each does at least one operation
     */
    public void check(int clients) {
        OptionCheck.require(
                duration == null || count == null,
                "--duration and --count are two ends of a measurement: leave one out");
        OptionCheck.require(duration == null || duration > 0, "--duration " + duration + " is not more than 0 seconds");
        OptionCheck.require(
                count == null || count >= clients, "--count " + count + " is less than 1 for each of " + clients);
        OptionCheck.require(warmup >= 0, "--warmup " + warmup + " is negative");
    }

    /** Returns the number of operations, 0 for no limit. */
    public long count() {
        return count == null ? 0 : count;
    }

    /** Returns how long to measure at most. */
    public Duration duration() {
        return count != null
                ? MeasureOptions.UNLIMITED
                : MeasureOptions.seconds(duration == null ? DEFAULT_DURATION : duration);
    }

    /** Returns how long to run before the measurement. */
    public Duration warmup() {
        return MeasureOptions.seconds(warmup);
    }
}
