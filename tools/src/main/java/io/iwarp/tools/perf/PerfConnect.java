package io.iwarp.tools.perf;

import io.iwarp.tools.cli.ClientOptions;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.verbs.QueuePairSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures the time to establish connections and the memory of open ones. */
@Command(
        name = "connect",
        description = "Measures the set-up of connections to a perf server. With --idle it keeps all connections, and"
                + " measures the memory of each on both sides.",
        footer = {
            "%nExamples:",
            "  iwarp perf connect 127.0.0.1:7471 --connections 1000 --parallel 64",
            "  iwarp perf connect 127.0.0.1:7471 --connections 500 --idle"
        })
final class PerfConnect implements Callable<Integer> {
    private static final int MOST_CONNECTIONS = 1_000_000;
    private static final int MOST_IN_PARALLEL = 1024;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "HOST:PORT",
            converter = PeerAddress.Converter.class,
            description = "Where the server listens.")
    private PeerAddress server;

    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "2000",
            description =
                    "The number of connections. A closed connection occupies its TCP port for some time, so very large"
                            + " numbers fail.")
    private int connections;

    @Option(names = "--parallel", paramLabel = "N", defaultValue = "8", description = "How many are set up at a time.")
    private int parallel;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many connections are set up and closed before the measurement.")
    private int warmup;

    @Option(
            names = "--idle",
            description = "Keep the connections, and measure their memory. Start the server with --max-depth 16:"
                    + " otherwise it keeps buffers for each connection.",
            showDefaultValue = Visibility.NEVER)
    private boolean idle;

    @Option(names = "--json", paramLabel = "FILE", description = "Append a line of JSON to this file.")
    private @Nullable Path json;

    @Mixin
    private ClientOptions connection;

    @Override
    public Integer call() throws Exception {
        OptionCheck.require(
                spec,
                connections >= 1 && connections <= MOST_CONNECTIONS,
                "--connections " + connections + " is outside 1 to " + MOST_CONNECTIONS);
        OptionCheck.require(
                spec,
                parallel >= 1 && parallel <= MOST_IN_PARALLEL,
                "--parallel " + parallel + " is outside 1 to " + MOST_IN_PARALLEL);
        OptionCheck.require(spec, warmup >= 0, "--warmup " + warmup + " is negative");
        try (ResultFile line = ResultFile.open("--json", json);
                Endpoint endpoint = connection.openClient()) {
            ConnectResult result = measure(endpoint, server.resolve());
            spec.commandLine().getOut().println(result.text());
            line.append(result.json() + "\n");
        }
        return 0;
    }

    private ConnectResult measure(Endpoint endpoint, SocketAddress address)
            throws IOException, InterruptedException, CommandFailedException {
        QueuePairSettings settings = connection.settings().build();
        ServerUsage usage = ServerUsage.connect(endpoint, address, connection.settings());
        if (warmup > 0) {
            ConnectRun.begin(endpoint, address, settings, warmup, parallel, false)
                    .await();
        }
        PerfUsage serverBefore = idle ? usage.collected() : null;
        PerfUsage before = idle ? PerfUsage.collected() : null;
        ConnectRun run = ConnectRun.begin(endpoint, address, settings, connections, parallel, idle);
        long nanos = run.await();
        ConnectResult result = new ConnectResult(
                connections,
                parallel,
                connection.transport().loops(),
                connection.transport().tls(),
                nanos,
                run.times(),
                before == null ? null : PerfUsage.collected().since(before),
                serverBefore == null ? null : usage.collected().since(serverBefore));
        run.close();
        usage.close();
        return result;
    }
}
