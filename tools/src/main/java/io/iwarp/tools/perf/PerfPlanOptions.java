package io.iwarp.tools.perf;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ConnectionOptions;
import io.iwarp.tools.cli.EndOptions;
import io.iwarp.tools.cli.EventLoops;
import io.iwarp.tools.cli.OptionCheck;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options about what is measured. */
final class PerfPlanOptions {
    private static final int MAX_CLIENTS = 10_000;
    private static final int DEFAULT_DEPTH = 128;
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

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many clients measure at the same time, each on a connection of its own.")
    private int clients;

    @Mixin
    private EndOptions end;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Begin N operations per second of all clients together, at fixed times. The latency of"
                    + " each counts from that time on, so that it includes the wait for a slow one (corrected for"
                    + " coordinated omission). Keeps the event loops of the client busy. By default as many as"
                    + " possible.")
    private @Nullable Double rate;

    @Option(names = "--reverse", description = "The server posts the Sends or Writes, and this side receives.")
    private boolean reverse;

    @Option(
            names = "--bidir",
            description = "Both sides post Sends or Writes at the same time. The rates are of both together.")
    private boolean bidirectional;

    /** Returns what is measured, one plan for each size. */
    List<PerfPlan> plans(ConnectionOptions connection) {
        OptionCheck.within("--clients", clients, 1, MAX_CLIENTS);
        end.check(clients);
        OptionCheck.require(rate == null || rate > 0, "--rate " + rate + " is not more than 0 operations per second");
        boolean fromServer = reverse || bidirectional;
        OptionCheck.require(!reverse || !bidirectional, "--reverse and --bidir exclude each other: leave one out");
        OptionCheck.require(
                !fromServer || operation.reversible(mode),
                "--reverse and --bidir are for --op send and --op write in --mode bandwidth");
        OptionCheck.require(
                !fromServer || (end.count() == 0 && rate == null),
                "--count and --rate limit what the client posts: leave them out with --reverse and --bidir");
        PerfTask.Direction direction = reverse
                ? PerfTask.Direction.FROM_SERVER
                : bidirectional ? PerfTask.Direction.BOTH : PerfTask.Direction.TO_SERVER;
        EventLoops loops = connection.transport().loops();
        int chosenDepth = chosenDepth();
        return sizes().stream()
                .map(bytes -> new PerfPlan(
                        new PerfTask(operation, mode, direction, bytes.intValue(), chosenDepth, NO_MEMORY),
                        clients,
                        loops,
                        connection.encrypted(),
                        connection.transport().unsent(),
                        rate == null ? 0 : rate,
                        end.count(),
                        end.warmup(),
                        end.duration()))
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
        OptionCheck.within("--depth", chosen, 1, PerfTask.MAX_DEPTH);
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
            OptionCheck.sizeWithin("a size of", bytes, least, PerfTask.MAX_SIZE);
        }
        return sizes;
    }

    private long defaultSize() {
        return mode == PerfMode.LATENCY ? LATENCY_SIZE : BANDWIDTH_SIZE;
    }
}
