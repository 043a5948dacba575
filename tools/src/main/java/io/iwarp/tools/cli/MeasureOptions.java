package io.iwarp.tools.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a measurement prints while it runs, and where its results go. */
public final class MeasureOptions extends JsonOption {
    private static final long MIN_INTERVAL_MILLIS = 10;

    /** For a measurement that ends with its work. */
    public static final Duration UNLIMITED = Duration.ofDays(10_000);

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            converter = Seconds.class,
            defaultValue = "1s",
            description = "How often to print the rate and the latency while it runs, at least 10ms.")
    private Duration interval;

    @Option(names = "--quiet", description = "Print no lines while it runs, only the results.")
    private boolean quiet;

    /** Checks the options. */
    public void check() {
        OptionCheck.require(
                interval.toMillis() >= MIN_INTERVAL_MILLIS, "--interval is less than " + MIN_INTERVAL_MILLIS + " ms");
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
        Output out = out();
        if (lines && title != null) {
            out.line(title);
            out.line(Interval.titles());
        }
        Measurement measurement = new Measurement(meters);
        begin.run();
        measurement.await(end, duration, interval, part -> {
            if (lines) {
                out.line(part.line(size));
            }
        });
        return measurement;
    }

    /** Work that blocks. */
    public interface Work {
        /** Does all of it, and counts and times it. */
        void run(Meter meter) throws IOException, InterruptedException;
    }

    /**
     * Measures work, each part on a thread of its own, until all parts have ended or one has failed. Then interrupts
     * the others.
     */
    public Measurement measure(String title, long size, List<? extends Work> parts) {
        ExecutorService threads = Executors.newFixedThreadPool(parts.size());
        List<Meter> meters = parts.stream().map(part -> new Meter()).toList();
        List<CompletableFuture<Void>> ends =
                parts.stream().map(part -> new CompletableFuture<Void>()).toList();
        Runnable begin = () -> {
            for (int i = 0; i < parts.size(); i++) {
                int number = i;
                threads.execute(() -> run(parts.get(number), meters.get(number), ends.get(number)));
            }
        };
        try {
            return measure(title, meters, size, begin, Loads.ended(ends), UNLIMITED);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void run(Work part, Meter meter, CompletableFuture<Void> end) {
        try {
            part.run(meter);
            end.complete(null);
        } catch (IOException | InterruptedException | RuntimeException e) {
            end.completeExceptionally(e);
        }
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
            out().lines(total.summary(size, noun));
        }
        write(file, json -> {
            json.writeStringField("op", operation);
            json.writeNumberField("size", size);
            total.write(json, size);
        });
    }
}
