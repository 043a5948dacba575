package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.ServerCommand;
import io.iwarp.tools.cli.Service;
import io.iwarp.tools.cli.Shutdown;
import io.iwarp.verbs.QueuePairSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The server for {@link PerfClient}. */
@Command(
        name = "server",
        description = "Serves perf client and perf connect until Ctrl-C.",
        footer = {"%nExample:", "  iwarp perf server --port 7471 --threads 2"})
final class PerfServer extends ServerCommand {
    @Option(
            names = "--max-depth",
            paramLabel = "N",
            defaultValue = "" + PerfTask.MAX_DEPTH,
            description = "The most operations that a client may have posted on a connection, 1 to "
                    + PerfTask.MAX_DEPTH + ". Connections cost less memory with fewer.")
    private int maxDepth;

    @Option(names = "--once", description = "End when the first client has left.")
    private boolean once;

    @Option(names = "--quiet", description = "Print no line for each connection that was served.")
    private boolean quiet;

    @Override
    protected QueuePairSettings settings(QueuePairSettings.Builder settings) {
        OptionCheck.within("--max-depth", maxDepth, 1, PerfTask.MAX_DEPTH);
        int queueDepth = PerfTask.serverQueueDepth(maxDepth);
        return settings.sendQueueDepth(queueDepth).receiveQueueDepth(queueDepth).build();
    }

    @Override
    protected Service begin(Endpoint endpoint, Shutdown shutdown) {
        return new PerfService(
                endpoint,
                maxDepth,
                limits().limits(),
                quiet ? line -> {} : out()::line,
                once ? shutdown::want : () -> {});
    }
}
