package io.iwarp.tools;

import io.iwarp.tools.cli.BaseCommand;
import io.iwarp.tools.cli.Version;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Prints a script with which a shell completes the commands and their options. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Prints a completion script for bash or zsh.",
        footer = {"%nExample:", "  source <(iwarp completion)"})
final class CompletionScript extends BaseCommand {
    @Override
    public Integer call() {
        CommandLine root = spec().root().commandLine();
        spec().commandLine().getOut().print(AutoComplete.bash(root.getCommandName(), root));
        return 0;
    }
}
