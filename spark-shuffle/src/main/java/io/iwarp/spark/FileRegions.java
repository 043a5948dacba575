package io.iwarp.spark;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Maps files, and registers them for peers to read. */
final class FileRegions {
    /** A map of the JDK has at most 2^31 - 1 bytes. */
    private static final long PIECE_LENGTH = 1L << 30;

    private FileRegions() {}

    /**
     * Maps a whole file.
     *
     * @throws IOException if the file is empty or cannot be mapped
     */
    static MemoryRegion map(ProtectionDomain domain, File file) throws IOException {
        List<ByteBuf> pieces = new ArrayList<>();
        try (FileChannel channel = FileChannel.open(file.toPath(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long length = channel.size();
            if (length == 0) {
                throw new IOException(file + " is empty");
            }
            for (long start = 0; start < length; start += PIECE_LENGTH) {
                pieces.add(Unpooled.wrappedBuffer(
                        channel.map(MapMode.READ_ONLY, start, Math.min(PIECE_LENGTH, length - start))));
            }
            return domain.region()
                    .buffers(pieces)
                    .rights(AccessRight.REMOTE_READ)
                    .register();
        } finally {
            pieces.forEach(ByteBuf::release);
        }
    }
}
