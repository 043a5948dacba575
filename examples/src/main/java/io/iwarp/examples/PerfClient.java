package io.iwarp.examples;

import io.iwarp.memory.RemoteBuffer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures against a {@link PerfServer}. */
@Command(
        name = "client",
        description = "Measures one operation against a perf server.",
        footer = {
            "%nExamples:",
            "  iwarp perf client 127.0.0.1:7471 --op write --size 1M",
            "  iwarp perf client 127.0.0.1:7471 --op send --mode latency --busy-poll"
        })
final class PerfClient implements Callable<Integer> {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double OCTETS_PER_MEGABYTE = 1e6;
    private static final int MOST_CONNECTIONS = 4096;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "HOST:PORT",
            converter = PeerAddress.Converter.class,
            description = "Where the server listens.")
    private PeerAddress server;

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
            description =
                    "${COMPLETION-CANDIDATES}: as many as go through, or the time to and fro of one after another.")
    private PerfMode mode;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = Octets.Converter.class,
            description = "Octets of each operation, 0 to 1G. Default: 64K for bandwidth, 64 for latency.")
    private @Nullable Long size;

    @Option(
            names = "--depth",
            paramLabel = "N",
            description = "How many to have posted on each connection in bandwidth mode. Default: 128.")
    private @Nullable Integer depth;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "1", description = "How many connections.")
    private int connections;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "How long to measure each size.")
    private double duration;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "How long to run before that, until the JVM has compiled what it runs.")
    private double warmup;

    @Option(names = "--json", paramLabel = "FILE", description = "Append a line of JSON for each size to this file.")
    private @Nullable Path json;

    @Mixin
    private TransportOptions transport;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws Exception {
        EventLoops loops = transport.loops();
        PerfPlan plan = plan();
        PrintWriter out = spec.commandLine().getOut();
        try (Endpoint endpoint = connection.open(loops)) {
            PerfResult result = new PerfRun(endpoint, plan).run(server.resolve(), connection.settings());
            tell(out, result);
            append(result.json(loops));
        }
        return 0;
    }

    private PerfPlan plan() {
        boolean latency = mode == PerfMode.LATENCY;
        require(connections >= 1 && connections <= MOST_CONNECTIONS, "--connections must be 1 to " + MOST_CONNECTIONS);
        require(duration > 0, "--duration must be more than 0 seconds");
        require(warmup >= 0, "--warmup must not be negative");
        require(
                !latency || depth == null || depth == 1,
                "--mode latency has one operation at a time: leave --depth out");
        require(
                !operation.atomic() || size == null || size == Long.BYTES,
                "--op " + operation + " works on 8 octets: leave --size out");
        int chosenDepth = latency ? 1 : depth == null ? 128 : depth;
        require(
                chosenDepth >= 1 && chosenDepth <= PerfTask.GREATEST_DEPTH,
                "--depth must be 1 to " + PerfTask.GREATEST_DEPTH);
        long chosenSize = size != null ? size : operation.atomic() ? Long.BYTES : latency ? 64 : 1 << 16;
        int least = latency && operation == PerfOperation.WRITE ? 1 : 0;
        require(
                chosenSize >= least && chosenSize <= PerfTask.GREATEST_SIZE,
                "--size must be " + least + " octets to 1 GiB");
        PerfTask task = new PerfTask(operation, mode, (int) chosenSize, chosenDepth, new RemoteBuffer(0, 0, 0));
        return new PerfPlan(task, connections, seconds(warmup), seconds(duration));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * NANOS_PER_SECOND));
    }

    private void require(boolean condition, String complaint) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), complaint);
        }
    }

    private static void tell(PrintWriter out, PerfResult result) {
        out.printf(
                Locale.ROOT,
                "%s %s, %s: %,.1f MB/s, %,.0f/s, p50 %.1f us, p99 %.1f us, p99.9 %.1f us, max %.1f us, %.1f octets"
                        + " allocated each, %.3f CPU s/GB%n",
                result.plan().task().operation(),
                result.plan().task().mode(),
                Octets.size(result.plan().task().size()),
                result.octetsPerSecond() / OCTETS_PER_MEGABYTE,
                result.operationsPerSecond(),
                result.latencyMicros(50),
                result.latencyMicros(99),
                result.latencyMicros(99.9),
                result.latencyMicros(100),
                result.allocatedPerOperation(),
                result.cpuSecondsPerGigabyte());
    }

    private void append(String line) throws IOException {
        if (json != null) {
            Files.writeString(json, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }
}
