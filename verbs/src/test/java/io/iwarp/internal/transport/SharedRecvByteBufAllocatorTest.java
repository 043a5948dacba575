package io.iwarp.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.EventLoopThread;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SharedRecvByteBufAllocatorTest {
    private static final int PAGE = 4096;
    /** Destinations that are less than this ahead of their source, modulo a page, are slow to copy to. */
    private static final int SLOW = 32;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

    @Test
    void theChannelsOfAnEventLoopReadIntoTheSameBuffer() throws Exception {
        EventLoopThread.run(() -> {
            ByteBuf first = allocate();
            first.release();
            ByteBuf second = allocate();

            assertThat(second).isSameAs(first);
            second.release();
        });
    }

    @Test
    void aBufferThatIsInUseIsNotReadIntoAgain() throws Exception {
        EventLoopThread.run(() -> {
            ByteBuf first = allocate();
            ByteBuf second = allocate();

            assertThat(second).isNotSameAs(first);
            second.release();
            first.release();
        });
    }

    @Test
    void readsThatFillTheBufferDoNotKeepTheirDistanceToTheSource() throws Exception {
        EventLoopThread.run(() -> {
            ByteBuf buffer = allocate();

            assertThat(buffer.writableBytes() % PAGE).isBetween(SLOW, PAGE - SLOW);
            buffer.release();
        });
    }

    private ByteBuf allocate() {
        return new SharedRecvByteBufAllocator(new EmbeddedChannel()).newHandle().allocate(allocator);
    }
}
