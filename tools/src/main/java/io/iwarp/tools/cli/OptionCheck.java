package io.iwarp.tools.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of command-line arguments, in addition to those of picocli. */
public final class OptionCheck {
    private OptionCheck() {}

    /**
     * Ends the command with an error message and its usage if a condition is false.
     *
     * @param complaint the error, with the option and its value
     */
    public static void require(CommandSpec command, boolean condition, String complaint) {
        if (!condition) {
            throw new ParameterException(command.commandLine(), complaint);
        }
    }
}
