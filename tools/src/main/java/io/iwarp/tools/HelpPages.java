package io.iwarp.tools;

import io.iwarp.tools.cli.BaseCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** The help of a command; {@code iwarp help perf client} is the same as {@code iwarp perf client --help}. */
@Command(
        name = "help",
        mixinStandardHelpOptions = true,
        description = "Prints the help of a command, or the list of commands.",
        footer = {"%nExamples:", "  iwarp help", "  iwarp help perf client"})
final class HelpPages extends BaseCommand {
    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "The command, for example: perf client")
    private List<String> path = List.of();

    @Override
    public Integer call() {
        CommandLine command = spec().root().commandLine();
        for (String name : path) {
            CommandLine next = command.getSubcommands().get(name);
            if (next == null) {
                throw new UnmatchedArgumentException(command, List.of(name));
            }
            command = next;
        }
        command.usage(spec().commandLine().getOut());
        return 0;
    }
}
