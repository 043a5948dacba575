package io.iwarp.tools.cli;

/** A command failed. Its message is the one line that the user sees. */
public final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message what went wrong and what to do about it, in one line */
    public CommandFailedException(String message) {
        super(message);
    }
}
