package io.iwarp.examples;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the write server stores files. A file grows under a temporary name and gets its own at the end, so nobody ever
 * sees a half one. Any thread may call any method.
 */
final class TargetDirectory {
    /** What a file is called while it grows, with something random in between. */
    static final String PARTIAL_PREFIX = ".iwarp-";

    static final String PARTIAL_SUFFIX = ".part";

    private static final int LONGEST_NAME = 255;

    private final Path directory;
    private final boolean overwrite;
    private final Set<String> growing = ConcurrentHashMap.newKeySet();

    /**
     * @param overwrite whether a file that exists may be replaced
     */
    TargetDirectory(Path directory, boolean overwrite) {
        this.directory = directory;
        this.overwrite = overwrite;
    }

    /**
     * Begins a file.
     *
     * @throws CommandFailedException if it may not be stored; the message is for the client
     */
    PartialFile begin(String name, long size) throws IOException, CommandFailedException {
        requirePlainName(name);
        if (size < 0) {
            throw new CommandFailedException("a file cannot have " + size + " octets");
        }
        long usable = Files.getFileStore(directory).getUsableSpace();
        if (size > usable) {
            throw new CommandFailedException("the file has " + Octets.exactly(size)
                    + ", but the server's disk has room for " + Octets.exactly(usable) + " only");
        }
        if (!growing.add(name)) {
            throw new CommandFailedException("another client is writing " + name + " at this moment: try again later");
        }
        try {
            requireAbsent(name);
            return new PartialFile(name);
        } catch (IOException | CommandFailedException | RuntimeException e) {
            growing.remove(name);
            throw e;
        }
    }

    /** A name that can only mean an ordinary file right in the directory, on any file system. */
    private void requirePlainName(String name) throws CommandFailedException {
        boolean plain = !name.isEmpty()
                && name.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME
                && !name.startsWith(".")
                && name.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':' || Character.isISOControl(c));
        try {
            if (plain && directory.equals(directory.resolve(name).getParent())) {
                return;
            }
        } catch (InvalidPathException e) {
            // Falls through to the same refusal.
            plain = false;
        }
        throw new CommandFailedException(
                "'" + ErrorLines.oneLine(name)
                        + "' is no name to store a file under: it must be plain, without a directory, and not begin with a dot");
    }

    private void requireAbsent(String name) throws CommandFailedException {
        Path target = directory.resolve(name);
        if (Files.isDirectory(target)) {
            throw new CommandFailedException("the server has a directory by the name " + name);
        }
        if (!overwrite && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandFailedException(
                    "the server has " + name + " already: remove it there, or start the server with --force");
        }
    }

    /** A file that grows. Closing it without {@link #keep} deletes it. It belongs to one thread. */
    final class PartialFile implements AutoCloseable {
        private final String name;
        private final Path path;
        private final FileChannel channel;

        private PartialFile(String name) throws IOException {
            this.name = name;
            this.path = directory.resolve(PARTIAL_PREFIX + UUID.randomUUID() + PARTIAL_SUFFIX);
            this.channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        /** Appends all remaining octets. */
        void append(ByteBuffer octets) throws IOException {
            while (octets.hasRemaining()) {
                channel.write(octets);
            }
        }

        /** Gives the file its name, once its octets are on the disk. */
        Path keep() throws IOException, CommandFailedException {
            channel.force(true);
            channel.close();
            requireAbsent(name);
            return Files.move(path, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        }

        @Override
        public void close() throws IOException {
            try {
                channel.close();
                Files.deleteIfExists(path);
            } finally {
                growing.remove(name);
            }
        }
    }
}
