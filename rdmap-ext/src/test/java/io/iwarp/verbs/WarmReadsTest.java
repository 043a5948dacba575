package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WarmReadsTest {
    private static final int PAGE = 4096;
    /** Destinations that are less than this ahead of their source, modulo a page, are slow to copy to. */
    private static final int SLOW = 32;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

    @Test
    void theChannelsOfAnEventLoopReadIntoTheSameBuffer() throws Exception {
        onLoop(() -> {
            ByteBuf first = newHandle().allocate(allocator);
            first.release();
            ByteBuf second = newHandle().allocate(allocator);

            assertThat(second).isSameAs(first);
            second.release();
        });
    }

    @Test
    void aBufferThatIsInUseIsNotReadIntoAgain() throws Exception {
        onLoop(() -> {
            ByteBuf first = newHandle().allocate(allocator);
            ByteBuf second = newHandle().allocate(allocator);

            assertThat(second).isNotSameAs(first);
            second.release();
            first.release();
        });
    }

    @Test
    void readsThatFillTheBufferLeaveADistanceThatIsSlowToCopy() throws Exception {
        onLoop(() -> {
            ByteBuf buffer = newHandle().allocate(allocator);

            assertThat(buffer.writableBytes() % PAGE).isBetween(SLOW, PAGE - SLOW);
            buffer.release();
        });
    }

    private static RecvByteBufAllocator.ExtendedHandle newHandle() {
        RecvByteBufAllocator.ExtendedHandle handle = new WarmReads().newHandle();
        handle.reset(new EmbeddedChannel().config());
        return handle;
    }

    /** Only such threads keep buffers. */
    private static void onLoop(Runnable test) throws Exception {
        FutureTask<Void> task = new FutureTask<>(test, null);
        Thread loop = new FastThreadLocalThread(task);
        loop.start();
        task.get();
        loop.join();
    }
}
