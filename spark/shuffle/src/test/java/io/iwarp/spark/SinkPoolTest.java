package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SinkPoolTest {
    private static final int QUARTER = SinkPool.SLAB_LENGTH / 4;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final SinkPool pool = new SinkPool(domain, new UnpooledByteBufAllocator(true));

    @AfterEach
    void nothingIsLeft() {
        pool.close();
        assertThat(domain.regionCount()).isZero();
        domain.close();
    }

    @Test
    void sinksOfASlabDoNotOverlap() {
        List<SinkPool.Sink> sinks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sinks.add(pool.take(100 + i));
        }
        assertThat(domain.regionCount()).isEqualTo(1);
        for (int i = 1; i < sinks.size(); i++) {
            SinkPool.Sink before = sinks.get(i - 1);
            assertThat(offset(sinks.get(i))).isGreaterThanOrEqualTo(offset(before) + before.length());
        }
        assertThat(pool.bytesInUse())
                .isEqualTo(sinks.stream().mapToLong(SinkPool.Sink::length).sum());
        sinks.forEach(SinkPool.Sink::release);
        assertThat(pool.bytesInUse()).isZero();
    }

    /** Only the text of a buffer has its offset. */
    private static long offset(SinkPool.Sink sink) {
        return Long.parseLong(sink.local().toString().replaceAll(".*offset (\\d+),.*", "$1"));
    }

    @Test
    void aSlabWhoseSinksWereReleasedIsUsedAgain() {
        for (int i = 0; i < 100; i++) {
            pool.take(QUARTER).release();
        }
        assertThat(domain.regionCount()).isLessThanOrEqualTo(2);
    }

    @Test
    void aLargeSinkIsReleasedAtOnce() {
        SinkPool.Sink large = pool.take(QUARTER + 1);
        assertThat(pool.slabBytes()).isEqualTo(QUARTER + 1).isEqualTo(domain.registeredBytes());

        large.release();

        assertThat(pool.slabBytes()).isZero();
        assertThat(domain.regionCount()).isZero();
    }

    @Test
    void aSinkOutlivesItsPool() {
        SinkPool.Sink sink = pool.take(10);
        ByteBuf bytes = sink.bytes();
        pool.close();

        assertThat(bytes.setLong(0, 7).getLong(0)).isEqualTo(7);

        sink.release();
    }

    @Test
    void aBufferReleasesItsSinkWithItsLastReference() {
        IwarpManagedBuffer buffer = new IwarpManagedBuffer(pool.take(10));
        buffer.retain();
        buffer.release();
        assertThat(pool.bytesInUse()).isEqualTo(10);
        assertThat(buffer.nioByteBuffer().remaining()).isEqualTo(10);

        buffer.release();

        assertThat(pool.bytesInUse()).isZero();
        assertThatThrownBy(buffer::nioByteBuffer).isInstanceOf(IllegalReferenceCountException.class);
        assertThatThrownBy(buffer::retain).isInstanceOf(IllegalReferenceCountException.class);
        assertThatThrownBy(buffer::release).isInstanceOf(IllegalReferenceCountException.class);
    }
}
