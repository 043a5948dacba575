package io.iwarp.spark;

import com.sun.management.UnixOperatingSystemMXBean;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Registers the files of map outputs. A region over a file holds a file descriptor, so their number is limited: Spark
 * needs descriptors too. A short index is copied to memory instead.
 */
final class OutputRegions {
    private static final int MAX_COPY = 16 * 1024;
    private static final int UNKNOWN_LIMIT = 1 << 20;

    private final ProtectionDomain domain;
    private final ByteBufAllocator allocator;
    private final int maxFiles;
    private final AtomicInteger files = new AtomicInteger();

    /**
     * The memory of one map output.
     *
     * @param indexChecksum the CRC32C of the index
     */
    record Output(MemoryRegion data, MemoryRegion index, int indexChecksum, int files) {}

    OutputRegions(ProtectionDomain domain, ByteBufAllocator allocator) {
        this(domain, allocator, halfOfTheFileDescriptors());
    }

    OutputRegions(ProtectionDomain domain, ByteBufAllocator allocator, int maxFiles) {
        this.domain = domain;
        this.allocator = allocator;
        this.maxFiles = maxFiles;
    }

    private static int halfOfTheFileDescriptors() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? (int) Math.min(unix.getMaxFileDescriptorCount() / 2, UNKNOWN_LIMIT)
                : UNKNOWN_LIMIT;
    }

    /**
     * Registers the files of a map output.
     *
     * @throws IOException if a file cannot be read, or there are too many
     */
    Output register(File data, File index) throws IOException {
        byte[] offsets = Files.readAllBytes(index.toPath());
        boolean copied = offsets.length <= MAX_COPY;
        int needed = copied ? 1 : 2;
        if (files.addAndGet(needed) > maxFiles) {
            files.addAndGet(-needed);
            throw new IOException("more than " + maxFiles
                    + " files would be open, half of the limit of this process: raise it (ulimit -n)");
        }
        try {
            MemoryRegion dataRegion = overFile(data, data.length());
            try {
                MemoryRegion indexRegion = copied ? overCopy(offsets) : overFile(index, offsets.length);
                return new Output(
                        dataRegion,
                        indexRegion,
                        MapSlot.checksum(Unpooled.wrappedBuffer(offsets), 0, offsets.length),
                        needed);
            } catch (RuntimeException | Error e) {
                dataRegion.close();
                throw e;
            }
        } catch (RuntimeException | Error e) {
            files.addAndGet(-needed);
            throw e;
        }
    }

    private MemoryRegion overFile(File file, long length) {
        return domain.region()
                .file(file.toPath(), 0, length)
                .rights(AccessRight.REMOTE_READ)
                .register();
    }

    private MemoryRegion overCopy(byte[] bytes) {
        ByteBuf copy = allocator.directBuffer(bytes.length, bytes.length);
        try {
            return domain.register(copy.writeBytes(bytes), AccessRight.REMOTE_READ);
        } finally {
            copy.release();
        }
    }

    /** Revokes the memory, and closes the files. */
    void close(Output output) {
        output.data.close();
        output.index.close();
        files.addAndGet(-output.files);
    }

    /** Returns the number of files that are open. */
    int files() {
        return files.get();
    }
}
