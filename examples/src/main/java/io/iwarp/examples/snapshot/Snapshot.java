package io.iwarp.examples.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Stores a region in a file, and loads it: after a crash the file has the old bytes or the new ones. */
public final class Snapshot {
    private static final int LENGTH = 3_000_005;

    /** Blocks, so do not call it on an event loop. */
    private static void store(MemoryRegion region, Path target) throws IOException {
        Path part = target.resolveSibling(target.getFileName() + ".part");
        try (FileChannel file = FileChannel.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            region.store(file);
            file.force(true);
        }
        Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("region", null);
        try (ProtectionDomain domain = ProtectionDomain.create();
                MemoryRegion region = domain.allocate(LENGTH, AccessRight.REMOTE_WRITE)) {
            region.setBytes(LENGTH - 5, Unpooled.copiedBuffer("hello", UTF_8)); // a peer would write it
            region.invalidate(); // ends the access of peers: nothing changes from now on
            store(region, file);
            try (MemoryRegion restored = domain.allocate(region.length(), AccessRight.REMOTE_WRITE);
                    FileChannel stored = FileChannel.open(file)) {
                restored.load(stored);
                System.out.println("loaded " + new String(restored.getBytes(LENGTH - 5, 5), UTF_8));
            }
        } finally {
            Files.delete(file);
        }
    }
}
