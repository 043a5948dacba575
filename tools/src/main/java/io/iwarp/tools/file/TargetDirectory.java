package io.iwarp.tools.file;

import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.PlainText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Where the write server stores files, and finds those that it serves. Any thread may call any method. */
final class TargetDirectory {
    private final Path directory;
    private final boolean overwrite;
    private final Set<Path> growing = ConcurrentHashMap.newKeySet();

    /** @param overwrite whether a file that exists may be replaced */
    TargetDirectory(Path directory, boolean overwrite) {
        this.directory = directory;
        this.overwrite = overwrite;
    }

    /**
     * Begins a file.
     *
     * @throws CommandFailedException if it may not be stored; the message is for the client
     */
    NamedFile begin(String name, long size) throws IOException {
        Path path = PlainName.resolve(directory, name);
        if (size < 0 && size != FileMessage.UNKNOWN_SIZE) {
            throw new CommandFailedException("a file cannot have " + size + " bytes");
        }
        long usable = Files.getFileStore(directory).getUsableSpace();
        if (size > usable) {
            throw new CommandFailedException("the file has " + Bytes.exactly(size)
                    + ", but the server's disk has room for " + Bytes.exactly(usable) + " only");
        }
        if (!growing.add(path)) {
            throw new CommandFailedException("another client is writing " + name + " at this moment: try again later");
        }
        try {
            requireAbsent(path);
            return new NamedFile(path);
        } catch (IOException | RuntimeException e) {
            growing.remove(path);
            throw e;
        }
    }

    /**
     * Opens a file to be read, or the list of files.
     *
     * @throws CommandFailedException if it may not be read; the message is for the client
     */
    SourceFile open(String name) throws IOException {
        return name.equals(FileMessage.LIST)
                ? SourceFile.of("the list of files", list().getBytes(StandardCharsets.UTF_8))
                : SourceFile.ofServer(PlainName.resolve(directory, name));
    }

    private String list() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            StringBuilder list = new StringBuilder();
            for (Path file : (Iterable<Path>) files.sorted()::iterator) {
                String name = String.valueOf(file.getFileName());
                if (!name.startsWith(".") && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    list.append(String.format(Locale.ROOT, "%,16d  %s%n", Files.size(file), PlainText.of(name)));
                }
            }
            return list.toString();
        }
    }

    private void requireAbsent(Path path) {
        String name = String.valueOf(path.getFileName());
        if (Files.isDirectory(path)) {
            throw new CommandFailedException("the server has a directory by the name " + name);
        }
        if (!overwrite && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandFailedException(
                    "the server has " + name + " already: remove it there, or start the server with --force");
        }
    }

    /** A file that grows, and the name that it will have. Closing it without {@link #keep} deletes it. */
    final class NamedFile implements AutoCloseable {
        private final Path path;
        private final PartialFile partial;

        private NamedFile(Path path) throws IOException {
            this.path = path;
            this.partial = PartialFile.create(directory);
        }

        PartialFile partial() {
            return partial;
        }

        /** Gives the file its name, once its bytes are on the disk. */
        Path keep() throws IOException {
            partial.finish();
            requireAbsent(path);
            return partial.keepAs(path);
        }

        @Override
        public void close() throws IOException {
            try {
                partial.close();
            } finally {
                growing.remove(path);
            }
        }
    }
}
