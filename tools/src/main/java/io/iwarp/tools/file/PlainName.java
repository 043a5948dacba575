package io.iwarp.tools.file;

import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.PlainText;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Validates file names of peers before they are used as paths. */
final class PlainName {
    private static final int MAX = 255;

    private PlainName() {}

    /**
     * Joins a name to a directory.
     *
     * @param directory absolute and normalized
     * @param name a plain file name, without a directory part, on any file system, and without characters that a
     *     terminal does not show
     * @throws CommandFailedException if it is not; the message goes to the sender
     */
    static Path resolve(Path directory, String name) {
        boolean plain = !name.isEmpty()
                && name.getBytes(StandardCharsets.UTF_8).length <= MAX
                && !name.startsWith(".")
                && name.equals(PlainText.of(name))
                && name.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':');
        try {
            if (plain && directory.equals(directory.resolve(name).getParent())) {
                return directory.resolve(name);
            }
        } catch (InvalidPathException e) {
            // Falls through to the same refusal.
        }
        throw new CommandFailedException("'" + name
                + "' is not a name for a file: it must be plain, without a directory or invisible"
                + " characters, and not begin with a dot");
    }
}
