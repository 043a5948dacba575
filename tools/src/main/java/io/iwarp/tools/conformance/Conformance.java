package io.iwarp.tools.conformance;

import io.iwarp.tools.cli.CommandGroup;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Tests the conformance of any iWARP peer. Without a subcommand, prints the help. */
@Command(
        name = "conformance",
        description =
                "Judges an iWARP peer of any make by what it does on the wire. It starts from the exchange of rping.",
        footer = "%n'iwarp conformance COMMAND --help' describes a command.",
        subcommands = {ConformanceServer.class, ConformanceClient.class, ConformanceCompare.class})
public final class Conformance extends CommandGroup {
    private final Function<String, CommandLine> iwarp;

    /** @param iwarp returns the command for a subcommand, ready to be executed once, for clients in this process */
    public Conformance(Function<String, CommandLine> iwarp) {
        this.iwarp = iwarp;
    }

    Function<String, CommandLine> iwarp() {
        return iwarp;
    }
}
