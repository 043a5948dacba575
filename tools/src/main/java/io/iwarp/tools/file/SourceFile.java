package io.iwarp.tools.file;

import io.iwarp.tools.cli.CommandFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/** A file that is read from its beginning to its end, and must not change meanwhile. It belongs to one thread. */
final class SourceFile implements AutoCloseable {
    private final Path path;
    private final FileChannel channel;
    private final BasicFileAttributes attributes;

    private SourceFile(Path path, FileChannel channel, BasicFileAttributes attributes) {
        this.path = path;
        this.channel = channel;
        this.attributes = attributes;
    }

    /**
     * Opens a regular file. Links are rejected.
     *
     * @throws CommandFailedException if it cannot be opened; the message is for the client
     */
    static SourceFile open(Path path) throws IOException {
        BasicFileAttributes attributes;
        try {
            attributes = attributesOf(path);
        } catch (NoSuchFileException e) {
            throw new CommandFailedException("the server has no file " + path.getFileName() + ": check the name");
        }
        if (!attributes.isRegularFile()) {
            throw new CommandFailedException(path.getFileName() + " is not an ordinary file at the server");
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        return new SourceFile(path, channel, attributes);
    }

    private static BasicFileAttributes attributesOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** In bytes, when it was opened. */
    long size() {
        return attributes.size();
    }

    /** Fills the buffer with what comes next. */
    void read(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.read(bytes) < 0) {
                throw changed();
            }
        }
    }

    /** Fails if the file has changed since it was opened, so that the bytes read may be inconsistent. */
    void requireUnchanged() throws IOException {
        BasicFileAttributes now;
        try {
            now = attributesOf(path);
        } catch (NoSuchFileException e) {
            throw changed();
        }
        if (now.size() != attributes.size()
                || !now.lastModifiedTime().equals(attributes.lastModifiedTime())
                || !Objects.equals(now.fileKey(), attributes.fileKey())) {
            throw changed();
        }
    }

    private CommandFailedException changed() {
        return new CommandFailedException(path.getFileName() + " changed while the server read it: try again");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
