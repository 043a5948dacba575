package io.iwarp.transport;

import io.iwarp.internal.EventLoopBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Reads into a buffer that the channels of an event loop share, one after the other: what was read is placed where it belongs
 * before the next read. If it is still in use, as under TLS, the next read gets a buffer of its own, of a size that adapts.
 */
public final class WarmReads implements RecvByteBufAllocator {
    private static final int SMALLEST = 2 * 1024;
    private static final int FIRST = 16 * 1024;
    /**
     * Several of the largest FPDUs: the more of them lie whole in one read, the fewer have to be carried over. But what was
     * read should still be in the core's own cache when it is checked and placed.
     */
    private static final int LARGEST = 256 * 1024;
    /**
     * Not a multiple of 4 KiB: on some processors the kernel's copy takes up to 20 times as long if the destination is 1 to 31
     * bytes ahead of the source, modulo 4 KiB. Reads that fill buffers of whole pages would keep that distance, and a
     * receiver that is so slow would get nothing but full reads.
     */
    private static final int SHARED = LARGEST - 64;

    private static final EventLoopBuffers WARM = new EventLoopBuffers(SHARED, 1);

    private final AdaptiveRecvByteBufAllocator others = new AdaptiveRecvByteBufAllocator(SMALLEST, FIRST, LARGEST);

    /** An allocator for one channel, or for several. */
    public WarmReads() {}

    @Override
    public ExtendedHandle newHandle() {
        return new WarmHandle((ExtendedHandle) others.newHandle());
    }

    private static final class WarmHandle extends DelegatingHandle implements ExtendedHandle {
        private final ExtendedHandle adaptive;

        WarmHandle(ExtendedHandle adaptive) {
            super(adaptive);
            this.adaptive = adaptive;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf warm = WARM.tryTake(allocator);
            return warm == null ? adaptive.allocate(allocator) : warm;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return adaptive.continueReading(maybeMoreData);
        }
    }
}
