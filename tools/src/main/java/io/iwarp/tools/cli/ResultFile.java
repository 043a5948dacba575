package io.iwarp.tools.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A result file that is opened before the work, so that an invalid path fails early. If nothing is written, an existing
 * file is unchanged and a new file is deleted.
 */
public final class ResultFile implements AutoCloseable {
    private final @Nullable Path path;
    private final @Nullable FileChannel channel;
    private final boolean fresh;
    private boolean written;

    private ResultFile(@Nullable Path path, @Nullable FileChannel channel, boolean fresh) {
        this.path = path;
        this.channel = channel;
        this.fresh = fresh;
    }

    /**
     * Opens a file.
     *
     * @param option that names it, for messages
     * @param path null to write nothing
     */
    public static ResultFile open(String option, @Nullable Path path) {
        if (path == null) {
            return new ResultFile(null, null, false);
        }
        boolean fresh = Files.notExists(path);
        try {
            return new ResultFile(
                    path, FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE), fresh);
        } catch (NoSuchFileException e) {
            throw new CommandFailedException(option + " " + path + " is in no existing directory: create it first");
        } catch (IOException e) {
            throw new CommandFailedException(
                    option + " " + path + " cannot be written (" + e + "): check the path and the permissions");
        }
    }

    /** Returns whether there is a file. */
    public boolean wanted() {
        return channel != null;
    }

    /** Writes this text instead of what is in the file. */
    public void replace(String text) throws IOException {
        if (channel != null) {
            channel.truncate(0);
            append(text);
        }
    }

    /** Appends this text. */
    public void append(String text) throws IOException {
        if (channel != null) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            channel.position(channel.size());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            written = true;
        }
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
        if (path != null && fresh && !written) {
            Files.deleteIfExists(path);
        }
    }
}
