package io.iwarp.tools;

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
 * A file that grows under a temporary name and gets its own at the end, so nobody ever sees a half one. Closing it without
 * {@link #keepAs} deletes it. It belongs to one thread.
 */
final class PartialFile implements AutoCloseable {
    /** What a file is called while it grows, with something random in between. */
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
            // The lock, which ends with the process, tells others that somebody writes this file.
            channel.lock();
            if (Files.exists(path)) {
                return new PartialFile(path, channel);
            }
            // Somebody took the file for an abandoned one before it was locked.
            channel.close();
        }
    }

    /**
     * Deletes the files in a directory whose writers were killed. A file that somebody is writing, and any file with a
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
            // This process is writing it, or it cannot be opened: it is none that can be cleaned up.
            return false;
        }
    }

    /** Appends all remaining bytes. */
    void append(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Puts the bytes on the disk. */
    void finish() throws IOException {
        channel.force(true);
    }

    /**
     * Gives the finished file its name, in the same directory; one that has the name already is replaced. The file is locked
     * until it is closed, so nobody takes it for an abandoned one before.
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
