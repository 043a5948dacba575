package io.iwarp.tools;

import io.iwarp.tools.cli.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Tests the conformance of any iWARP peer. Without a subcommand, prints the help. */
@Command(
        name = "conformance",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Judges an iWARP peer of any make by what it does on the wire. The way in is the exchange of rping.",
        footer = "%n'iwarp conformance COMMAND --help' tells more about a command.",
        subcommands = {ConformanceServer.class, ConformanceClient.class, ConformanceCompare.class})
final class Conformance implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
