package io.iwarp.tools;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of what was given on a command line, beyond what picocli does by itself. */
final class OptionCheck {
    private OptionCheck() {}

    /**
     * Ends the command with a complaint and its usage if a condition does not hold.
     *
     * @param complaint what is wrong, with the option and its value
     */
    static void require(CommandSpec command, boolean condition, String complaint) {
        if (!condition) {
            throw new ParameterException(command.commandLine(), complaint);
        }
    }
}
