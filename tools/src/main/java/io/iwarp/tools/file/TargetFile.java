package io.iwarp.tools.file;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * The target file of a client's download.
 *
 * @param path as the user gave it
 * @param replace whether a file that exists may be replaced
 */
record TargetFile(Path path, boolean replace) {
    /** Fails if nothing can be stored there; the message is for the user. */
    void requireUsable() {
        if (Files.isDirectory(path)) {
            throw new CommandFailedException(path + " is a directory: name the file in it");
        }
        if (!replace && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandFailedException(path + " exists already: choose another one, or --force");
        }
        if (!Files.isDirectory(directory())) {
            throw new CommandFailedException(directory() + " is not a directory: create it first");
        }
    }

    /** Begins a file of the given size, in bytes. */
    PartialFile begin(long size) throws IOException {
        long usable = Files.getFileStore(directory()).getUsableSpace();
        if (size > usable) {
            throw new CommandFailedException("the file has " + Bytes.exactly(size) + ", but " + directory()
                    + " has room for " + Bytes.exactly(usable) + " only: make room, or choose another directory");
        }
        PartialFile.deleteAbandoned(directory());
        return PartialFile.create(directory());
    }

    /** Gives a whole file its name, once its bytes are on the disk. */
    void keep(PartialFile partial) throws IOException {
        partial.finish();
        requireUsable();
        partial.keepAs(path);
    }

    private Path directory() {
        Path absolute = path.toAbsolutePath();
        Path parent = absolute.getParent();
        return parent == null ? absolute : parent;
    }
}
