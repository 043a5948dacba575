package io.iwarp.tools.cli;

/** Checks of command-line arguments, in addition to those of picocli. */
public final class OptionCheck {
    static final int MAX_PORT = 65_535;

    private OptionCheck() {}

    /** The command line is wrong. Its message names the option and its value. */
    static final class BadOptionException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadOptionException(String message) {
            super(message);
        }
    }

    /** Checks that a number is in a range. */
    public static void within(String option, long value, long least, long most) {
        require(value >= least && value <= most, option + " " + value + " is outside " + least + " to " + most);
    }

    /** Checks that a number of bytes is in a range. */
    public static void sizeWithin(String option, long bytes, long least, long most) {
        require(
                bytes >= least && bytes <= most,
                option + " " + Bytes.size(bytes) + " is outside " + Bytes.size(least) + " to " + Bytes.size(most));
    }

    /** Checks that a number is a TCP port. 0 is one for a server, for which the system then chooses. */
    public static void port(String option, int port, boolean server) {
        int least = server ? 0 : 1;
        require(
                port >= least && port <= MAX_PORT,
                option + " " + port + " is not a TCP port: choose " + least + " to " + MAX_PORT);
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
