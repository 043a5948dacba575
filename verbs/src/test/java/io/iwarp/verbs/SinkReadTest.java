package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.memory.Sink;
import io.iwarp.memory.SinkPool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads into sinks of a pool. */
class SinkReadTest {
    private static final int LENGTH = 1000;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final SinkPool pool = new SinkPool(domain, PooledByteBufAllocator.DEFAULT, 1 << 16, 1 << 16);
    private final ByteBuf memory = Unpooled.directBuffer(LENGTH, LENGTH);
    private final MemoryRegion region = domain.register(memory, AccessRight.REMOTE_READ);
    private final QueuePairSettings settings =
            QueuePairSettings.builder().sendQueueDepth(2).build();
    private final SimulatedPair pair = new SimulatedPair(domain, settings, qp -> {});
    private final QueuePair reader = pair.initiator.queuePair();

    SinkReadTest() {
        while (memory.isWritable()) {
            memory.writeByte(memory.writerIndex() / 3);
        }
    }

    @AfterEach
    void close() {
        pair.close();
        assertThat(pool.lentSinks()).isZero();
        pool.close();
        region.close();
        assertThat(domain.regions()).isZero();
        domain.close();
        memory.release();
    }

    private Sink lend() {
        Sink sink = pool.lend(LENGTH);
        assertThat(sink).isNotNull();
        return sink;
    }

    @Test
    void theBytesAreInTheSinkAndNothingElseIsRegistered() {
        Sink first = lend();
        Sink second = lend();
        List<Long> completed = new ArrayList<>();
        reader.completionListener((same, completion) -> completed.add(completion.workRequestId()));
        int regions = domain.regions();

        reader.sendQueue().read(7, first, region.remoteBuffer(), 0, PostOptions.NONE);
        CompletableFuture<Completion> read = reader.read(second, region.remoteBuffer());
        assertThat(domain.regions()).isEqualTo(regions);
        pair.run();

        assertThat(completed).containsExactly(7L);
        assertThat(read).isCompletedWithValueMatching(completion -> completion.bytes() == LENGTH);
        assertThat(first.buffer()).isEqualTo(memory);
        assertThat(second.buffer()).isEqualTo(memory);
        first.release();
        second.release();
    }

    @Test
    void aReadHoldsItsSinkUntilItsCompletion() {
        Sink sink = lend();
        CompletableFuture<Completion> read = reader.read(sink, region.remoteBuffer());
        assertThat(sink.release()).isFalse();
        assertThat(pool.lentSinks()).isOne();

        pair.run();

        assertThat(read).isCompleted();
        assertThat(pool.lentSinks()).isZero();
    }

    @Test
    void aFlushedReadReturnsItsSink() {
        Sink sink = lend();
        CompletableFuture<Completion> read = reader.read(sink, region.remoteBuffer());
        sink.release();

        reader.abort();
        pair.run();

        assertThat(read).isCompletedExceptionally();
        assertThat(pool.lentSinks()).isZero();
    }

    @Test
    void aRefusedReadHoldsNothing() {
        Sink sink = lend();
        RemoteBuffer source = region.remoteBuffer();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reader.read(sink, source.slice(1, LENGTH - 1)))
                .withMessageContaining("1000 bytes at offset 0 do not fit into the 999");
        reader.read(sink, source);
        reader.read(sink, source);
        assertThat(sink.refCnt()).isEqualTo(3);
        assertThatThrownBy(() -> reader.read(sink, source)).isInstanceOf(QueueFullException.class);
        assertThat(sink.refCnt()).isEqualTo(3);
        pair.run();
        assertThat(sink.release()).isTrue();

        try (ProtectionDomain other = ProtectionDomain.create();
                SinkPool foreign = new SinkPool(other, PooledByteBufAllocator.DEFAULT, 1 << 16, 1 << 16)) {
            Sink wrong = foreign.lend(LENGTH);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> reader.read(wrong, source))
                    .withMessageContaining("another protection domain");
            assertThat(wrong.release()).isTrue();
        }
    }
}
