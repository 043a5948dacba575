package io.iwarp.tools.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A file that is written under a temporary name and renamed when it is complete, so no incomplete file is visible under
 * the final name. Closing it without {@link #keepAs} deletes it. Not thread-safe.
 */
final class PartialFile implements AutoCloseable {
    /** The prefix and suffix of the temporary name, with random characters in between. */
    static final String PREFIX = ".iwarp-";

    static final String SUFFIX = ".part";

    private static final Pattern NAME = Pattern.compile(
            Pattern.quote(PREFIX) + "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}" + Pattern.quote(SUFFIX));

    private final Path path;
    private final FileChannel channel;

    private PartialFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Begins an empty file. */
    static PartialFile create(Path directory) throws IOException {
        while (true) {
            Path path = directory.resolve(PREFIX + UUID.randomUUID() + SUFFIX);
            FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            try {
                // The lock marks the file as in use. It ends with the process.
                channel.lock();
            } catch (IOException | RuntimeException interrupted) {
                channel.close();
                Files.deleteIfExists(path);
                throw interrupted;
            }
            if (Files.exists(path)) {
                return new PartialFile(path, channel);
            }
            // Another process deleted the file as abandoned before it was locked.
            channel.close();
        }
    }

    /**
     * Deletes the files in a directory whose writers were killed. A file that is being written, and any file with a
     * name of another form, is left alone.
     *
     * @return how many were deleted
     */
    static int deleteAbandoned(Path directory) throws IOException {
        int deleted = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
            for (Path file : files) {
                boolean ours = NAME.matcher(file.getFileName().toString()).matches()
                        && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
                if (ours && deleteIfUnlocked(file)) {
                    deleted++;
                }
            }
        }
        return deleted;
    }

    private static boolean deleteIfUnlocked(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                FileLock lock = channel.tryLock()) {
            return lock != null && Files.deleteIfExists(file);
        } catch (OverlappingFileLockException | FileSystemException e) {
            // This process is writing the file, or cannot open it. Do not delete it.
            return false;
        }
    }

    /** Appends all remaining bytes. */
    void append(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Forces the bytes to disk. */
    void finish() throws IOException {
        channel.force(true);
    }

    /**
     * Renames the finished file within its directory and replaces an existing file. The file stays locked until it is
     * closed, so that it is not deleted as abandoned.
     */
    Path keepAs(Path target) throws IOException {
        return Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }
}
