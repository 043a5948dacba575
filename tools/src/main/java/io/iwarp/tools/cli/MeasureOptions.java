package io.iwarp.tools.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** What a measurement prints while it runs, and where its results go. */
public final class MeasureOptions extends JsonOption {
    private static final double MIN_INTERVAL = 0.01;
    private static final double NANOS_PER_SECOND = 1e9;

    /** For a measurement that ends with its work. */
    public static final Duration UNLIMITED = Duration.ofDays(10_000);

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description =
                    "How often to print the rate and the latency while it runs, at least " + MIN_INTERVAL + " seconds.")
    private double interval;

    @Option(
            names = "--quiet",
            description = "Print no lines while it runs, only the results.",
            showDefaultValue = Visibility.NEVER)
    private boolean quiet;

    /** Checks the options. */
    public void check() {
        OptionCheck.require(
                interval >= MIN_INTERVAL, "--interval " + interval + " is less than " + MIN_INTERVAL + " seconds");
    }

    /**
     * Measures, and prints a line for each interval.
     *
     * @param title what is measured; null to print nothing
     * @param size bytes of an operation
     * @param begin begins the work that is measured
     * @param end completes, or fails, when that work has ended
     * @param duration how long to measure at most
     */
    public Measurement measure(
            @Nullable String title,
            Collection<Meter> meters,
            long size,
            Runnable begin,
            CompletableFuture<?> end,
            Duration duration) {
        boolean lines = title != null && !quiet && !toStandardOutput();
        Output out = new Output(command().commandLine().getOut());
        if (lines && title != null) {
            out.line(title);
            out.line(Interval.titles());
        }
        Measurement measurement = new Measurement(meters);
        begin.run();
        measurement.await(end, duration, seconds(interval), part -> {
            if (lines) {
                out.line(part.line(size));
            }
        });
        return measurement;
    }

    /**
     * Prints the result of a measurement, and writes it as JSON.
     *
     * @param file from {@link #open}
     * @param operation its name in the JSON
     * @param noun what an operation is called in the text
     * @param size bytes of an operation
     */
    public void report(ResultFile file, Interval total, String operation, String noun, long size) throws IOException {
        if (!toStandardOutput()) {
            new Output(command().commandLine().getOut()).lines(total.summary(size, noun));
        }
        write(file, json -> {
            json.writeStringField("op", operation);
            json.writeNumberField("size", size);
            total.write(json, size);
        });
    }

    /** Returns a number of seconds as a duration. */
    public static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * NANOS_PER_SECOND));
    }
}
