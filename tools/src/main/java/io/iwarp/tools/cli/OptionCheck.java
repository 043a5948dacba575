package io.iwarp.tools.cli;

/** Checks of command-line arguments, in addition to those of picocli. */
public final class OptionCheck {
    private OptionCheck() {}

    /** The command line is wrong. Its message names the option and its value. */
    static final class BadOptionException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadOptionException(String message) {
            super(message);
        }
    }

    /**
     * Ends the command with an error message and its usage if a condition is false.
     *
     * @param complaint the error, with the option and its value
     */
    public static void require(boolean condition, String complaint) {
        if (!condition) {
            throw new BadOptionException(complaint);
        }
    }
}
