package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Measures the stack, as perftest measures RDMA hardware. Without a subcommand, prints the help. */
@Command(
        name = "perf",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Measures throughput, latency and the cost of connections between two processes.",
        footer = "%n'iwarp help perf COMMAND' describes a command.",
        subcommands = {PerfServer.class, PerfClient.class, PerfConnect.class})
public final class Perf implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
