package io.iwarp.verbs;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One Read of the given number of bytes; says how much memory it took, and fails if that was too much. */
final class LargeRead {
    /** What there may be of direct memory beside the two regions, in bytes. */
    static final long MARGIN = 16 << 20;

    private static final int CHUNK = 1 << 20;
    private static final long SAMPLE_NANOS = 500_000;
    private static final double MEBI = 1 << 20;

    private LargeRead() {}

    /** Takes the length. */
    @SuppressWarnings("SystemOut") // it runs in a process of its own, whose output its parent logs
    public static void main(String[] arguments) throws Exception {
        long length = Long.parseLong(arguments[0]);
        ProtectionDomain domain = ProtectionDomain.create();
        try (Loopback loopback = new Loopback();
                MemoryRegion source = allocate(domain, length, AccessRight.REMOTE_READ);
                MemoryRegion sink = allocate(domain, length, AccessRight.LOCAL_WRITE)) {
            fill(source);
            SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
            QueuePair initiator = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
            long begin = System.nanoTime();
            CompletableFuture<Completion> read =
                    initiator.read(sink.slice(0, source.remoteBuffer().length()), source.remoteBuffer());
            long peak = 0;
            while (!read.isDone()) {
                peak = Math.max(peak, directBytes());
                LockSupport.parkNanos(SAMPLE_NANOS);
            }
            long bytes = read.get(1, TimeUnit.SECONDS).bytes();
            double seconds = (System.nanoTime() - begin) / 1e9;
            requireEqual(source, sink);
            System.out.printf(
                    "one Read of %d bytes: %.1f s, %.0f MiB/s, direct memory at most %.2f MiB beside the regions,"
                            + " heap %.1f of %.0f MiB%n",
                    bytes,
                    seconds,
                    bytes / seconds / MEBI,
                    (peak - 2 * length) / MEBI,
                    (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) / MEBI,
                    Runtime.getRuntime().maxMemory() / MEBI);
            if (bytes != length || peak - 2 * length > MARGIN) {
                throw new AssertionError("more than " + MARGIN + " bytes beside the regions");
            }
            initiator.close();
            Loopback.await(initiator.closed());
            Loopback.await(loopback.nextAccepted().closed());
        }
        domain.close();
    }

    private static MemoryRegion allocate(ProtectionDomain domain, long length, AccessRight right) {
        return domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, length)
                .rights(right)
                .register();
    }

    /** As the JDK and as Netty count it, whichever is more: what one of them allocates the other may not see. */
    private static long directBytes() {
        long bytes = PlatformDependent.usedDirectMemory();
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            bytes = Math.max(bytes, "direct".equals(pool.getName()) ? pool.getMemoryUsed() : 0);
        }
        return bytes;
    }

    private static void fill(MemoryRegion region) {
        ByteBuf chunk = Unpooled.directBuffer(CHUNK, CHUNK);
        for (long offset = 0; offset < region.length(); offset += CHUNK) {
            chunk.clear();
            while (chunk.isWritable()) {
                chunk.writeLong((offset + chunk.writerIndex()) * 0x9e3779b97f4a7c15L);
            }
            region.setBytes(offset, chunk.slice(0, (int) Math.min(CHUNK, region.length() - offset)));
        }
        chunk.release();
    }

    private static void requireEqual(MemoryRegion source, MemoryRegion sink) {
        for (long offset = 0; offset < source.length(); offset += CHUNK) {
            int length = (int) Math.min(CHUNK, source.length() - offset);
            ByteBuf expected = source.view(offset, length);
            ByteBuf actual = sink.view(offset, length);
            boolean equal = expected.equals(actual);
            expected.release();
            actual.release();
            if (!equal) {
                throw new AssertionError("the bytes from " + offset + " on differ");
            }
        }
    }
}
