package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ConnectionOptions;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The server for {@link PerfClient}. */
@Command(
        name = "server",
        description = "Is the other side of measurements by perf client and perf connect, until Ctrl-C.",
        footer = {"%nExample:", "  iwarp perf server --port 7471 --threads 2"})
final class PerfServer implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ListenOptions listen;

    @Option(
            names = "--max-depth",
            paramLabel = "N",
            defaultValue = "" + PerfTask.GREATEST_DEPTH,
            description = "The most operations that a client may have posted on a connection, 1 to "
                    + PerfTask.GREATEST_DEPTH + ". Connections cost less memory with fewer.")
    private int greatestDepth;

    @Option(
            names = "--max-memory",
            paramLabel = "SIZE",
            defaultValue = "1G",
            converter = Bytes.Converter.class,
            description = "The most memory for the connections of one client address together. A connection takes"
                    + " twice its --size, 8 MiB or less for short messages.")
    private long clientBytes;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws Exception {
        if (greatestDepth < 1 || greatestDepth > PerfTask.GREATEST_DEPTH) {
            throw new ParameterException(
                    spec.commandLine(), "--max-depth " + greatestDepth + " is outside 1 to " + PerfTask.GREATEST_DEPTH);
        }
        int queueDepth = PerfTask.serverQueueDepth(greatestDepth);
        PrintWriter out = spec.commandLine().getOut();
        QueuePairSettings settings = connection
                .settings()
                .sendQueueDepth(queueDepth)
                .receiveQueueDepth(queueDepth)
                .build();
        ScheduledExecutorService collector =
                Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("perf-collector", true));
        try (Shutdown shutdown = Shutdown.install();
                Endpoint endpoint = connection.openServer();
                IwarpListener listener = endpoint.listen(
                        listen.address(),
                        settings,
                        new PerfService(endpoint.domain(), greatestDepth, clientBytes, collector, out::println))) {
            out.println(ListenOptions.listening(listener));
            shutdown.await();
            // Close the connections before the memory. Otherwise clients would see errors about invalid STags.
            endpoint.closeConnections();
        } finally {
            collector.shutdownNow();
        }
        return 0;
    }
}
