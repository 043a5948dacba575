package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.internal.ByteBudget;
import io.iwarp.memory.ByteSpan;
import io.iwarp.memory.IwarpDevice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Internal receives that the application does not post. A message gets a buffer from an allocator when its first
 * segment arrives, and the application gets that buffer with the completion. The receive queue depth limits the number
 * of messages that are incomplete or wait to be polled. An idle queue pair holds no buffer.
 *
 * <p>A buffer grows with what arrives in rising order. {@link IwarpDevice#maxManagedReceiveBytes} limits the buffers of
 * all streams, until their messages are delivered.
 */
final class ManagedReceives extends Receives {
    /** The capacity that a buffer is given for each byte that has arrived, while more are to come. */
    private static final long GROWTH = 4;

    private final CompletionRoutes routes;
    private final ByteBufAllocator allocator;
    private final ByteBudget budget;
    private final int bytes;
    private final PostRing<ReceiveRequest> ring;
    /** What is reserved at the device for all messages. */
    private long reserved;
    /** Whether the receive that was asked for last is the next to be delivered. */
    private boolean atHead;

    /**
     * @param budget limits the bytes of the messages that are not delivered
     * @param bytes the maximum length of a message
     */
    ManagedReceives(
            Channel channel,
            DrainSchedule drains,
            ReceiveStall stall,
            CompletionRoutes routes,
            int depth,
            ByteBudget budget,
            int bytes) {
        super(channel, drains, stall);
        this.routes = routes;
        this.allocator = channel.alloc();
        this.budget = budget;
        this.bytes = bytes;
        this.ring = new PostRing<>(depth, Receive::new);
    }

    private final class Receive extends ReceiveRequest {
        /** What is reserved at the device for this message. */
        private int own;

        @Override
        protected long room() {
            return isImmediate() ? super.room() : bytes;
        }

        @Override
        protected @Nullable ByteSpan sinkFor(DdpSegment segment) {
            if (isImmediate()) {
                return super.sinkFor(segment);
            }
            int end = (int) segment.messageOffset() + segment.payloadLength();
            ByteBuf buffer = buffer();
            if (buffer != null && end <= buffer.capacity()) {
                return sink();
            }
            int capacity = capacity(segment, end);
            // A whole message that is delivered at once leaves nothing behind. It spares the counter that all event
            // loops share.
            boolean passes = buffer == null && segment.last() && atHead;
            if (!passes && !reserve(capacity)) {
                return null;
            }
            if (buffer == null) {
                buffer = allocator.directBuffer(capacity, segment.last() ? capacity : bytes);
            } else {
                buffer.capacity(capacity);
            }
            return sink().wrap(buffer, 0, capacity);
        }

        private int capacity(DdpSegment segment, int end) {
            boolean rising = segment.messageOffset() <= coverage().contiguous();
            return segment.last() || !rising ? end : (int) Math.min(bytes, GROWTH * end);
        }

        private boolean reserve(int capacity) {
            int more = capacity - own;
            if (more > 0 && !budget.takeShare(more, reserved)) {
                return false;
            }
            own = capacity;
            reserved += more;
            return true;
        }

        @Override
        void clear() {
            super.clear();
            if (own > 0) {
                budget.give(own);
                reserved -= own;
                own = 0;
            }
        }
    }

    @Override
    CompletionBound bound() {
        return ring;
    }

    /** An idle receive is not posted by anybody. */
    @Override
    int inUse() {
        return ring.unreported();
    }

    @Override
    String describeUse() {
        return "delivered and not polled, none has to be posted";
    }

    @Override
    String insteadOfPosting() {
        return "it takes its buffers from an allocator, as QueuePairSettings.managedReceiveBytes says";
    }

    @Override
    void close() {
        ring.close();
    }

    @Override
    public int available() {
        for (long next = ring.claim(); next != PostRing.FULL; next = ring.claim()) {
            ring.publish(next);
        }
        return ring.waiting();
    }

    @Override
    @Nullable
    ReceiveRequest receive(int ahead) {
        if (Integer.compareUnsigned(ahead, available()) >= 0) {
            return null;
        }
        atHead = ahead == 0;
        return ring.peek(ahead);
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer delivered) {
        CompletionTarget target = routes.receiveTarget();
        if (target == null) {
            return withoutListener();
        }
        ReceiveRequest request = ring.peek(0);
        ProtocolFault fault = fill(request, delivered);
        if (fault == null) {
            ring.take();
            ByteBuf buffer = request.buffer();
            if (buffer != null) {
                buffer.retain();
            }
            request.clear();
            ring.retire();
            completeInBurst(target, ring);
        }
        return fault;
    }

    /** Internal receives; dropped silently, together with incomplete messages. */
    @Override
    void flush(CloseReason reason) {
        for (ReceiveRequest request = ring.take(); request != null; request = ring.take()) {
            request.clear();
            ring.free();
        }
    }
}
