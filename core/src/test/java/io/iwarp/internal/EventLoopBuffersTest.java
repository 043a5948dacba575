package io.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.EventLoopThread;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class EventLoopBuffersTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final EventLoopBuffers warm = new EventLoopBuffers(1024, 2);

    @Test
    void reusesABufferWithoutOtherReferences() throws Exception {
        EventLoopThread.run(() -> {
            ByteBuf first = take();
            assertThat(first.writeZero(1024).isWritable()).isFalse();
            ByteBuf kept = first.retainedSlice(0, 10);
            first.release();
            ByteBuf second = take();
            assertThat(second).isNotSameAs(first);
            second.release();
            kept.release();

            ByteBuf again = take();

            assertThat(again).isSameAs(first);
            assertThat(again.readableBytes()).isZero();
            assertThat(again.writableBytes()).isEqualTo(1024);
            again.release();
        });
    }

    @Test
    void keepsOnlyItsNumberOfBuffers() throws Exception {
        EventLoopThread.run(() -> {
            ByteBuf first = take();
            ByteBuf second = take();
            assertThat(warm.tryTake(allocator)).isNull();
            first.release();
            second.release();
        });
    }

    @Test
    void endedThreadsReleaseTheirBuffers() throws Exception {
        List<ByteBuf> released = new ArrayList<>();
        EventLoopThread.run(() -> {
            ByteBuf buffer = take();
            buffer.release();
            released.add(buffer);
        });

        assertThat(released.get(0).refCnt()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void threadsWithoutCleanupKeepNoBuffers() {
        assertThat(warm.tryTake(allocator)).isNull();
    }

    @Test
    void theAllocatorHelpsOutWhereAllAreInUse() throws Exception {
        EventLoopThread.run(() -> {
            ByteBuf first = warm.take(allocator, 1);
            ByteBuf second = warm.take(allocator, 1024);
            ByteBuf third = warm.take(allocator, 10);

            assertThat(first.capacity()).isEqualTo(1024);
            assertThat(third.capacity()).isEqualTo(10);
            assertThat(third.maxCapacity()).isEqualTo(1024);
            first.release();
            second.release();
            third.release();
            assertThat(third.refCnt()).isZero();
        });
    }

    @Test
    void theAllocatorHelpsOutWhereTheyAreTooSmall() throws Exception {
        EventLoopThread.run(() -> {
            ByteBuf large = warm.take(allocator, 1025);
            assertThat(large.capacity()).isEqualTo(1025);
            large.release();
            assertThat(large.refCnt()).isZero();
        });
    }

    private ByteBuf take() {
        return Objects.requireNonNull(warm.tryTake(allocator));
    }
}
