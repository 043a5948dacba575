package io.iwarp.tools;

/** A command failed. Its message is the one line that the user sees. */
final class CommandFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what went wrong and what to do about it, in one line
     */
    CommandFailedException(String message) {
        super(message);
    }
}
