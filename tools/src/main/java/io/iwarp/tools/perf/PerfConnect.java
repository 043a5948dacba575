package io.iwarp.tools.perf;

import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.EventLoops;
import io.iwarp.tools.cli.MeasureOptions;
import io.iwarp.tools.cli.Measurement;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.ResultFile;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.SocketAddress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the time to establish connections and the memory of open ones. */
@Command(
        name = "connect",
        description = "Measures the set-up of connections to a perf server. With --idle it keeps all connections, and"
                + " measures the memory of each on both sides.",
        footer = {
            "%nExamples:",
            "  iwarp perf connect 127.0.0.1:7471 --count 1000 --clients 64",
            "  iwarp perf connect 127.0.0.1:7471 --count 500 --idle"
        })
final class PerfConnect extends ClientCommand {
    private static final int MAX_COUNT = 1_000_000;
    private static final int MAX_CLIENTS = 1024;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "2000",
            description =
                    "How many connections to set up. A closed connection occupies its TCP port for some time, so very"
                            + " large numbers fail.")
    private int count;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "8",
            description = "How many connections to set up at the same time.")
    private int clients;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many connections are set up and closed before the measurement.")
    private int warmup;

    @Option(
            names = "--idle",
            description = "Keep the connections, and measure their memory. Start the server with --max-depth 16:"
                    + " otherwise it keeps buffers for each connection.")
    private boolean idle;

    @Mixin
    private MeasureOptions measuring;

    @Override
    protected void run() throws Exception {
        OptionCheck.within("--count", count, 1, MAX_COUNT);
        OptionCheck.within("--clients", clients, 1, MAX_CLIENTS);
        OptionCheck.require(warmup >= 0, "--warmup " + warmup + " is negative");
        measuring.check();
        try (ResultFile file = measuring.open();
                Endpoint endpoint = open()) {
            measure(file, endpoint, address());
        }
    }

    private void measure(ResultFile file, Endpoint endpoint, SocketAddress name)
            throws IOException, InterruptedException {
        QueuePairSettings settings = settings().build();
        EventLoops loops = connection().transport().loops();
        ServerUsage usage = ServerUsage.connect(endpoint, name, settings());
        // The one that answers, of all that the name has.
        SocketAddress address = usage.server();
        if (warmup > 0) {
            new ConnectRun(endpoint, address, settings, warmup, false)
                    .measure(measuring, null, clients)
                    .requireWhole();
        }
        PerfUsage serverBefore = idle ? usage.collected() : null;
        PerfUsage before = idle ? PerfUsage.collected(0) : null;
        ConnectRun run = new ConnectRun(endpoint, address, settings, count, idle);
        String title = "connections, " + clients + " at a time over " + loops.transport();
        Measurement measured = run.measure(measuring, title, clients);
        boolean whole = !measured.cutShort();
        ConnectResult result = new ConnectResult(
                clients,
                loops,
                connection().encrypted(),
                measured.total(),
                whole && before != null ? PerfUsage.collected(0).since(before) : null,
                whole && serverBefore != null ? usage.collected().since(serverBefore) : null);
        if (!measuring.toStandardOutput()) {
            out().lines(result.lines());
        }
        measuring.write(file, result::write);
        measured.requireNoFailure();
        run.close();
        usage.close();
    }
}
