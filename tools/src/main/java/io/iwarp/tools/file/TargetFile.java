package io.iwarp.tools.file;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The target file of a client's download. A regular file is replaced as a whole when the download is complete. A link
 * is followed. What is no regular file, such as a device or a pipe, is written to.
 *
 * @param path as the user gave it
 * @param replace whether a file that exists may be replaced, or written to
 */
record TargetFile(Path path, boolean replace) implements FileSink.Target {
    /** Fails if nothing can be stored there; the message is for the user. */
    void requireUsable() {
        if (Files.isDirectory(path)) {
            throw new CommandFailedException(path + " is a directory: name the file in it");
        }
        boolean exists = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
        if (!replace && exists) {
            throw new CommandFailedException(path + " exists already: choose another one, or --force");
        }
        if (exists && !Files.exists(path)) {
            throw new CommandFailedException(path + " is a link to a file that does not exist: remove the link");
        }
        Path parent = path.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw new CommandFailedException(parent + " is not a directory: create it first");
        }
    }

    @Override
    public FileSink open(long size) throws IOException {
        requireUsable();
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            return new StreamSink(FileChannel.open(path, StandardOpenOption.WRITE));
        }
        Path directory = target().getParent();
        if (directory == null) {
            throw new CommandFailedException(path + " is in no directory: choose another one");
        }
        long usable = Files.getFileStore(directory).getUsableSpace();
        if (size > usable) {
            throw new CommandFailedException("the file has " + Bytes.exactly(size) + ", but " + directory
                    + " has room for " + Bytes.exactly(usable) + " only: make room, or choose another directory");
        }
        PartialFile.deleteAbandoned(directory);
        return new Whole(PartialFile.create(directory));
    }

    /** Returns the file itself, not a link to it. */
    private Path target() throws IOException {
        return Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
    }

    /** A regular file, which appears or is replaced when it is complete. */
    private final class Whole implements FileSink {
        private final PartialFile partial;

        Whole(PartialFile partial) {
            this.partial = partial;
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            partial.append(bytes);
        }

        @Override
        public void keep() throws IOException {
            partial.finish();
            requireUsable();
            partial.keepAs(target());
        }

        @Override
        public void close() throws IOException {
            partial.close();
        }
    }
}
