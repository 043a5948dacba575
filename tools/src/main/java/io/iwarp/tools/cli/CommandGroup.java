package io.iwarp.tools.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command with subcommands. Without one, it prints its help. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class)
public abstract class CommandGroup implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public final void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
