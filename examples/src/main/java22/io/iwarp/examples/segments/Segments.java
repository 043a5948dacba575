package io.iwarp.examples.segments;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A peer writes into segments of more than 2 GiB: native memory, and a file that is mapped. Needs JDK 22. */
public final class Segments {
    private static final long LENGTH = (2L << 30) + Long.BYTES;
    private static final long LAST = LENGTH - Long.BYTES;

    /** Registers all of a segment as one region. Close the region before the arena. */
    private static MemoryRegion register(ProtectionDomain domain, MemorySegment segment, AccessRight... rights) {
        List<ByteBuf> pieces = new ArrayList<>();
        long most = 1 << 30; // a ByteBuffer has less than 2 GiB
        for (long at = 0; at < segment.byteSize(); at += most) {
            MemorySegment piece = segment.asSlice(at, Math.min(most, segment.byteSize() - at));
            pieces.add(Unpooled.wrappedBuffer(piece.asByteBuffer()));
        }
        return domain.region().buffers(pieces).rights(rights).register();
    }

    private static void writeTheEnd(QueuePair queuePair, RemoteBuffer memory, long number) {
        ByteBuf bytes = Unpooled.directBuffer(Long.BYTES);
        ByteBuf ordered = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
                ? bytes.writeLong(number)
                : bytes.writeLongLE(number);
        queuePair.write(ordered, memory.slice(LAST, Long.BYTES));
        queuePair.read(bytes.clear(), memory.slice(LAST, Long.BYTES)).join(); // it is there when a Read finds it
        bytes.release();
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("segments", null);
        var group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        var domain = ProtectionDomain.create();
        try (Arena arena = Arena.ofShared(); // event loops use it, so it cannot be confined to a thread
                FileChannel channel = FileChannel.open(file, READ, WRITE)) {
            MemorySegment large = arena.allocate(LENGTH, Long.BYTES);
            MemorySegment mapped = channel.map(MapMode.READ_WRITE, 0, LENGTH, arena);
            AccessRight[] rights = {AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE};
            try (MemoryRegion memory = register(domain, large, rights);
                    MemoryRegion table = register(domain, mapped, rights)) {
                IwarpListener listener = Iwarp.server(group)
                        .domain(domain)
                        .onRequest(request -> request.accept(memory.remoteBuffer(), table.remoteBuffer()))
                        .listen("localhost", 0)
                        .get();
                Iwarp.Client client = Iwarp.client(group);
                QueuePair queuePair = client.connect(listener.localAddress()).get();
                List<RemoteBuffer> there = queuePair.remoteBuffers();
                writeTheEnd(queuePair, there.get(0), 1);
                writeTheEnd(queuePair, there.get(1), 2);
                Duration deadline = Duration.ofSeconds(5);
                client.shutdownGracefully(deadline).get();
                listener.shutdownGracefully(deadline).get();
            }
            mapped.force();
            System.out.println("the last number of the memory is " + large.get(JAVA_LONG, LAST));
            System.out.println("the last number of the file is " + mapped.get(JAVA_LONG, LAST));
        }
        domain.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        System.out.println("the file has " + Files.size(file) + " bytes");
        Files.delete(file);
    }
}
