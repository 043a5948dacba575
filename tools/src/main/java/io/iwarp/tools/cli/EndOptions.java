package io.iwarp.tools.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** When a measurement begins and ends. */
public final class EndOptions {
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(5);

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = Seconds.class,
            description = "How long to measure: seconds, or a number with ms, s or m. Default: 5")
    private @Nullable Duration duration;

    @Option(names = "--count", paramLabel = "N", description = "How many operations to measure, instead of a time.")
    private @Nullable Long count;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            converter = Seconds.class,
            defaultValue = "1s",
            description = "How long to run before the measurement, so that the JVM compiles the code.")
    private Duration warmup;

    /**
     * Checks the options.
     *
     * @param clients each does at least one operation
     */
    public void check(int clients) {
        OptionCheck.require(
                duration == null || count == null,
                "--duration and --count are two ends of a measurement: leave one out");
        OptionCheck.require(duration == null || !duration.isZero(), "--duration is 0: give it more time");
        OptionCheck.require(
                count == null || count >= clients, "--count " + count + " is less than 1 for each of " + clients);
    }

    /** Returns the number of operations, 0 for no limit. */
    public long count() {
        return count == null ? 0 : count;
    }

    /** Returns how long to measure at most. */
    public Duration duration() {
        if (count != null) {
            return MeasureOptions.UNLIMITED;
        }
        return duration == null ? DEFAULT_DURATION : duration;
    }

    /** Returns how long to run before the measurement. */
    public Duration warmup() {
        return warmup;
    }
}
