package io.iwarp.tools.file;

import io.iwarp.tools.cli.CommandFailedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file that is read from its beginning to its end, and must not change until then. Not thread-safe. */
final class SourceFile implements AutoCloseable {
    private final String name;
    private final ReadableByteChannel channel;
    private final long size;
    private final @Nullable State before;

    /** A file whose size is known, at the time when it was opened. */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record State(Path path, BasicFileAttributes attributes, LinkOption... links) {
        static State of(Path path, LinkOption... links) throws IOException {
            return new State(path, Files.readAttributes(path, BasicFileAttributes.class, links), links);
        }

        boolean isUnchanged() throws IOException {
            BasicFileAttributes now = of(path, links).attributes;
            return now.size() == attributes.size()
                    && now.lastModifiedTime().equals(attributes.lastModifiedTime())
                    && Objects.equals(now.fileKey(), attributes.fileKey());
        }
    }

    private SourceFile(String name, ReadableByteChannel channel, long size, @Nullable State before) {
        this.name = name;
        this.channel = channel;
        this.size = size;
        this.before = before;
    }

    /**
     * Opens a regular file of a server. Links are rejected.
     *
     * @throws CommandFailedException if it cannot be opened; the message is for the client
     */
    static SourceFile ofServer(Path path) throws IOException {
        State state;
        try {
            state = State.of(path, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            throw new CommandFailedException("the server has no file " + path.getFileName() + ": check the name");
        }
        if (!state.attributes.isRegularFile()) {
            throw new CommandFailedException(path.getFileName() + " is not an ordinary file at the server");
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        return new SourceFile(String.valueOf(path.getFileName()), channel, state.attributes.size(), state);
    }

    /**
     * Opens a file of the user. Links are followed. What shows no size, such as a pipe or a file of {@code /proc}, is
     * read to its end.
     */
    static SourceFile ofClient(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw new CommandFailedException(path + " is a directory: name a file in it");
        }
        State state = State.of(path);
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        boolean sized = state.attributes.isRegularFile() && state.attributes.size() > 0;
        return new SourceFile(
                String.valueOf(path.getFileName()),
                channel,
                sized ? state.attributes.size() : FileMessage.UNKNOWN_SIZE,
                sized ? state : null);
    }

    /** Reads a stream to its end. */
    static SourceFile of(String name, InputStream stream) {
        return new SourceFile(name, Channels.newChannel(stream), FileMessage.UNKNOWN_SIZE, null);
    }

    /** Returns a file with this content. */
    static SourceFile of(String name, byte[] content) {
        return new SourceFile(name, Channels.newChannel(new ByteArrayInputStream(content)), content.length, null);
    }

    /** Returns the name of the file, without its directory. */
    String name() {
        return name;
    }

    /** Returns the size in bytes when it was opened, or {@link FileMessage#UNKNOWN_SIZE}. */
    long size() {
        return size;
    }

    /** Fills the buffer. Leaves room only at the end of a file of unknown size. */
    void read(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.read(bytes) < 0) {
                if (size != FileMessage.UNKNOWN_SIZE) {
                    throw changed();
                }
                return;
            }
        }
    }

    /** Fails if the file has changed since it was opened, so that the bytes read may be inconsistent. */
    void requireUnchanged() throws IOException {
        try {
            if (before != null && !before.isUnchanged()) {
                throw changed();
            }
        } catch (NoSuchFileException e) {
            throw changed();
        }
    }

    private CommandFailedException changed() {
        return new CommandFailedException(name + " changed while it was read: try again");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
