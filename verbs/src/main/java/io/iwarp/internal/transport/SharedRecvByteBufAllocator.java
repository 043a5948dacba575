package io.iwarp.internal.transport;

import io.iwarp.internal.EventLoopBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads into a buffer that the channels of an event loop share: its content is placed before the next read. If the
 * buffer is still in use, as with TLS, the next read gets a new buffer of adaptive size.
 */
public final class SharedRecvByteBufAllocator implements RecvByteBufAllocator {
    private static final int MIN = 2 * 1024;
    private static final int FIRST = 16 * 1024;
    /**
     * Has room for several of the largest FPDUs, since only incomplete FPDUs are copied. The bytes should still be in
     * the core's cache when they are checked and placed.
     */
    private static final int MAX = 256 * 1024;
    /**
     * Not a multiple of 4 KiB: on some processors the kernel's copy takes up to 20 times as long if the destination is
     * 1 to 31 bytes ahead of the source, modulo 4 KiB. Reads into buffers of whole pages would keep this distance, and
     * a slow receiver would only get full reads.
     */
    private static final int CAPACITY = MAX - 64;

    private static final EventLoopBuffers BUFFERS = new EventLoopBuffers(CAPACITY, 1);

    private final AdaptiveRecvByteBufAllocator adaptiveAllocator = new AdaptiveRecvByteBufAllocator(MIN, FIRST, MAX);

    private final Channel channel;

    /** Creates the allocator of a channel. */
    public SharedRecvByteBufAllocator(Channel channel) {
        this.channel = channel;
    }

    @Override
    public ExtendedHandle newHandle() {
        return new SharedBufferHandle(
                channel, DirectReads.ofCurrentLoop(), (ExtendedHandle) adaptiveAllocator.newHandle());
    }

    /** The handle of a channel, made by its event loop at the first read. */
    private static final class SharedBufferHandle extends DelegatingHandle implements ExtendedHandle {
        private final Channel channel;
        /** Null if the event loop does not poll. */
        private final @Nullable DirectReads directReads;

        private final ExtendedHandle adaptive;
        private int bytesRead;

        SharedBufferHandle(Channel channel, @Nullable DirectReads directReads, ExtendedHandle adaptive) {
            super(adaptive);
            this.channel = channel;
            this.directReads = directReads;
            this.adaptive = adaptive;
        }

        @Override
        public void reset(ChannelConfig config) {
            bytesRead = 0;
            super.reset(config);
        }

        @Override
        public void lastBytesRead(int bytes) {
            bytesRead = bytes < 0 ? bytes : bytesRead + bytes;
            super.lastBytesRead(bytes);
        }

        /** Passes on the size of a read; a direct read that finds nothing has none. */
        @Override
        public void readComplete() {
            if (directReads != null) {
                directReads.onRead(channel, bytesRead);
            }
            if (bytesRead != 0) {
                super.readComplete();
            }
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf shared = BUFFERS.tryTake(allocator);
            return shared == null ? adaptive.allocate(allocator) : shared;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return adaptive.continueReading(maybeMoreData);
        }
    }
}
