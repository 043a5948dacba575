package io.iwarp.tools;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * A file that grows under a temporary name and gets its own at the end, so nobody ever sees a half one. Closing it without
 * {@link #keepAs} deletes it. It belongs to one thread.
 */
final class PartialFile implements AutoCloseable {
    /** What a file is called while it grows, with something random in between. */
    static final String PREFIX = ".iwarp-";

    static final String SUFFIX = ".part";

    private final Path path;
    private final FileChannel channel;

    private PartialFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Begins an empty file. */
    static PartialFile create(Path directory) throws IOException {
        Path path = directory.resolve(PREFIX + UUID.randomUUID() + SUFFIX);
        return new PartialFile(path, FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    /** Appends all remaining bytes. */
    void append(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Puts the bytes on the disk, after which nothing can be appended. */
    void finish() throws IOException {
        channel.force(true);
        channel.close();
    }

    /** Gives the finished file its name, in the same directory; one that has the name already is replaced. */
    Path keepAs(Path target) throws IOException {
        return Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }
}
