package io.iwarp.tools.perf;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ConnectionOptions;
import io.iwarp.tools.cli.EventLoops;
import io.iwarp.tools.cli.OptionCheck;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options about what is measured. */
final class PerfPlanOptions {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int MAX_CONNECTIONS = 10_000;
    private static final int DEFAULT_DEPTH = 128;
    private static final double DEFAULT_DURATION = 5;
    private static final long MAX_COUNT_SECONDS = 1_000_000;
    private static final double MIN_INTERVAL = 0.01;
    private static final long BANDWIDTH_SIZE = 1 << 16;
    private static final long LATENCY_SIZE = 64;
    private static final RemoteBuffer NO_MEMORY = new RemoteBuffer(0, 0, 0);

    @Option(
            names = "--op",
            paramLabel = "NAME",
            defaultValue = "write",
            description = "What to measure: ${COMPLETION-CANDIDATES}.")
    private PerfOperation operation;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "bandwidth",
            description = "What is measured: ${COMPLETION-CANDIDATES}. Bandwidth keeps many operations"
                    + " outstanding; latency does"
                    + " one after another, and measures each to the program of the server and back.")
    private PerfMode mode;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            split = ",",
            converter = Bytes.Converter.class,
            description = "Bytes of each operation, 0 to 1G, or several such sizes: 4K,60000,64K. Default: 64K for"
                    + " bandwidth, 64 for latency.")
    private @Nullable List<Long> size;

    @Option(
            names = "--sweep",
            paramLabel = "A..B",
            converter = SizeRange.Converter.class,
            description = "Measure the sizes from A to B, each twice the previous one, for example 64..1M.")
    private @Nullable SizeRange sweep;

    @Option(
            names = "--depth",
            paramLabel = "N",
            description = "How many operations each connection keeps outstanding in bandwidth mode, 1 to "
                    + PerfTask.MAX_DEPTH + ". Default: " + DEFAULT_DEPTH + ".")
    private @Nullable Integer depth;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "1", description = "The number of connections.")
    private int connections;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            description = "How long to measure each size. Default: " + DEFAULT_DURATION)
    private @Nullable Double duration;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "How many operations to measure for each size, instead of a time.")
    private @Nullable Long count;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Begin N operations per second on all connections together, at fixed times. The latency of"
                    + " each counts from that time on, so that it includes the wait behind a slow one (corrected for"
                    + " coordinated omission). Occupies a processor. By default as many as possible.")
    private @Nullable Double rate;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "How long to run before the measurement, so that the JVM compiles the code.")
    private double warmup;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "How often to print the rate and the latency while it runs, at least " + MIN_INTERVAL
                    + " s. With --warmup 0 this shows how the JVM gets faster.")
    private double interval;

    /** Returns what is measured, one plan for each size. */
    List<PerfPlan> plans(ConnectionOptions connection) {
        OptionCheck.require(
                connections >= 1 && connections <= MAX_CONNECTIONS,
                "--connections " + connections + " is outside 1 to " + MAX_CONNECTIONS);
        OptionCheck.require(
                duration == null || count == null,
                "--duration and --count are two ends of a measurement: leave one out");
        OptionCheck.require(duration == null || duration > 0, "--duration " + duration + " is not more than 0 seconds");
        OptionCheck.require(
                count == null || count >= connections,
                "--count " + count + " is less than 1 for each of " + connections + " connections");
        OptionCheck.require(rate == null || rate > 0, "--rate " + rate + " is not more than 0 operations per second");
        OptionCheck.require(warmup >= 0, "--warmup " + warmup + " is negative");
        OptionCheck.require(
                interval >= MIN_INTERVAL, "--interval " + interval + " is less than " + MIN_INTERVAL + " seconds");
        EventLoops loops = connection.transport().loops();
        int chosenDepth = chosenDepth();
        return sizes().stream()
                .map(bytes -> new PerfPlan(
                        new PerfTask(operation, mode, bytes.intValue(), chosenDepth, NO_MEMORY),
                        connections,
                        loops,
                        connection.encrypted(),
                        connection.transport().unsent(),
                        rate == null ? 0 : rate,
                        count == null ? 0 : count,
                        seconds(warmup),
                        seconds(count != null ? MAX_COUNT_SECONDS : duration == null ? DEFAULT_DURATION : duration),
                        seconds(interval)))
                .toList();
    }

    private int chosenDepth() {
        if (mode == PerfMode.LATENCY) {
            OptionCheck.require(
                    depth == null || depth == 1,
                    "--mode latency has one operation at a time on each connection: leave --depth out");
            return 1;
        }
        int chosen = depth == null ? DEFAULT_DEPTH : depth;
        OptionCheck.require(
                chosen >= 1 && chosen <= PerfTask.MAX_DEPTH,
                "--depth " + chosen + " is outside 1 to " + PerfTask.MAX_DEPTH);
        return chosen;
    }

    private List<Long> sizes() {
        OptionCheck.require(
                size == null || sweep == null, "--size and --sweep are two ways to say the same: leave one out");
        if (operation.atomic()) {
            OptionCheck.require(
                    sweep == null && (size == null || size.equals(List.of((long) Long.BYTES))),
                    "--op " + operation + " works on " + Long.BYTES + " bytes: leave --size and --sweep out");
            return List.of((long) Long.BYTES);
        }
        List<Long> sizes = sweep != null ? sweep.sizes() : size != null ? size : List.of(defaultSize());
        // The server detects a Write by its last byte.
        int least = mode == PerfMode.LATENCY && operation == PerfOperation.WRITE ? 1 : 0;
        for (long bytes : sizes) {
            OptionCheck.require(
                    bytes >= least && bytes <= PerfTask.MAX_SIZE,
                    "a size of " + bytes + " bytes is outside " + least + " to " + PerfTask.MAX_SIZE);
        }
        return sizes;
    }

    private long defaultSize() {
        return mode == PerfMode.LATENCY ? LATENCY_SIZE : BANDWIDTH_SIZE;
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * NANOS_PER_SECOND));
    }
}
