package io.iwarp.tools.perf;

import io.iwarp.tools.cli.CommandGroup;
import picocli.CommandLine.Command;

/** Measures the stack, as perftest measures RDMA hardware. Without a subcommand, prints the help. */
@Command(
        name = "perf",
        description = "Measures throughput, latency and the cost of connections between two processes.",
        footer = "%n'iwarp help perf COMMAND' describes a command.",
        subcommands = {PerfServer.class, PerfClient.class, PerfConnect.class})
public final class Perf extends CommandGroup {}
