package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;

/**
 * Part of a file, which peers read. Each access is a positional read, so several event loops may read at the same time.
 * The region is the only user of the open file and closes it.
 */
final class FileMemory implements TaggedMemory {
    private final Path file;
    private final FileChannel channel;
    private final long position;
    private final long length;

    private FileMemory(Path file, FileChannel channel, long position, long length) {
        this.file = file;
        this.channel = channel;
        this.position = position;
        this.length = length;
    }

    /**
     * Opens a file.
     *
     * @throws IllegalArgumentException if the file is too short
     * @throws UncheckedIOException if it cannot be opened
     */
    static FileMemory open(Path file, long position, long length) {
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
            FileMemory memory = new FileMemory(file, channel, position, length);
            long size;
            try {
                size = channel.size();
            } catch (Throwable e) {
                memory.close();
                throw e;
            }
            if (size - position < length) {
                memory.close();
                throw new IllegalArgumentException(file + " has " + size + " bytes, too few for a region of " + length
                        + " bytes at position " + position);
            }
            return memory;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open " + file + " for a region", e);
        }
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean isReadOnly() {
        return true;
    }

    @Override
    public void onIssue(EnumSet<AccessRight> rights) {
        // No right changes a file.
    }

    @Override
    public void onRetire(EnumSet<AccessRight> rights) {
        // No right changes a file.
    }

    @Override
    public void fetch(long offset, ByteBuf dst, int dstIndex, int count) {
        int done = 0;
        while (done < count) {
            done += read(position + offset + done, dst, dstIndex + done, count - done);
        }
    }

    private int read(long from, ByteBuf dst, int dstIndex, int count) {
        int read;
        try {
            read = dst.setBytes(dstIndex, channel, from, count);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + " at byte " + from, e);
        }
        if (read < 0) {
            throw new IllegalStateException(
                    channel.isOpen()
                            ? file + " was truncated, and has no byte " + from
                                    + "; do not change a file while a region is over it"
                            : file + " was closed because a thread that read it was interrupted; register it again");
        }
        return read;
    }

    @Override
    public void place(long offset, ByteBuf src, int srcIndex, int count) {
        throw readOnlyException();
    }

    @Override
    public boolean isAligned(long offset) {
        throw readOnlyException();
    }

    @Override
    public int misalignment(long offset) {
        return 0;
    }

    @Override
    public void execute(long offset, AtomicOperation operation) {
        throw readOnlyException();
    }

    private UnsupportedOperationException readOnlyException() {
        return new UnsupportedOperationException("a region over a file is read-only, and only peers read it: " + file);
    }

    @Override
    public void endChanges() {
        // There are none.
    }

    /** Closing a read-only file cannot lose data. */
    @Override
    @SuppressWarnings("EmptyCatch")
    public void close() {
        try {
            channel.close();
        } catch (IOException nothingIsLost) {
            // Nothing was written, so nothing is lost.
        }
    }
}
