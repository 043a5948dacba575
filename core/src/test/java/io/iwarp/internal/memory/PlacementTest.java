package io.iwarp.internal.memory;

import static io.iwarp.internal.memory.AccessVerdict.GRANTED;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the data path asks of a region: many at a time, and nothing allocated. */
class PlacementTest {
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);

    @AfterEach
    void close() {
        stream.close();
        domain.close();
    }

    /** A buffer that leak detection does not watch, as it would allocate and take more time than the placements. */
    private static ByteBuf unwatched(int length) {
        return Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(length));
    }

    @Test
    void severalEventLoopsMayPlaceIntoOneRegionAtTheSameTime() throws Exception {
        int segment = 256;
        int loops = 4;
        int segments = 1000;
        MemoryRegion region = ((DefaultRegionBuilder) domain.region())
                .allocate(PooledByteBufAllocator.DEFAULT, (long) loops * segments * segment, 1000 * 1000)
                .rights(REMOTE_WRITE)
                .register();
        TaggedBuffer tagged = stream.lookup(region.stag());
        ExecutorService threads = Executors.newFixedThreadPool(loops);
        List<Future<?>> all = new ArrayList<>();
        for (int loop = 0; loop < loops; loop++) {
            int first = loop;
            all.add(threads.submit(() -> {
                ByteBuf payload = unwatched(segment);
                for (int i = first; i < loops * segments; i += loops) {
                    for (int at = 0; at < segment; at += Integer.BYTES) {
                        payload.setInt(at, i);
                    }
                    tagged.place((long) i * segment, payload, 0, segment);
                }
                payload.release();
            }));
        }
        for (Future<?> one : all) {
            one.get();
        }
        threads.shutdown();

        for (int i = 0; i < loops * segments; i++) {
            ByteBuf placed = region.view((long) i * segment, segment);
            for (int at = 0; at < segment; at += Integer.BYTES) {
                assertThat(placed.getInt(at)).isEqualTo(i);
            }
            placed.release();
        }
        region.close();
    }

    @Test
    void nothingIsAllocatedPerSegment() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuf memory = unwatched(1 << 16);
        ByteBuf more = unwatched(1 << 16);
        ByteBuf payload = unwatched(1500);
        MemoryRegion region =
                domain.region().buffers(memory, more).rights(REMOTE_WRITE).register();
        ByteSpan span = new ByteSpan();
        span.cover(region.slice(0, region.length()));
        int segments = 10_000;
        segments(region, span, payload, segments);

        long before = threads.getCurrentThreadAllocatedBytes();
        segments(region, span, payload, segments);
        long perSegment = (threads.getCurrentThreadAllocatedBytes() - before) / segments;

        assertThat(perSegment).isZero();
        region.close();
        memory.release();
        more.release();
        payload.release();
    }

    private void segments(MemoryRegion region, ByteSpan span, ByteBuf payload, int count) {
        for (int i = 0; i < count; i++) {
            int taggedOffset = (1 << 16) - 1500 + i % 1500;
            TaggedBuffer tagged = stream.lookup(region.stag());
            if (tagged == null || tagged.check(stream, REMOTE_WRITE, taggedOffset, 1500) != GRANTED) {
                throw new AssertionError("refused");
            }
            tagged.place(taggedOffset, payload, 0, 1500);
            span.put(taggedOffset, payload, 0, 1500);
            span.get(taggedOffset, payload, 0, 1500);
        }
    }

    @Test
    @Requirement("SEC-6")
    void theThreadThatPlacesMayAlsoRevoke() {
        ByteBuf payload = unwatched(16);
        MemoryRegion region = domain.region()
                .allocate(PooledByteBufAllocator.DEFAULT, 16)
                .rights(REMOTE_WRITE)
                .register();
        TaggedBuffer tagged = stream.lookup(region.stag());

        assertThat(tagged.place(0, payload, 0, 16)).isTrue();
        region.invalidate();
        assertThat(tagged.place(0, payload, 0, 16)).isFalse();
        region.close();
        payload.release();
    }
}
