package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.internal.InputBudget;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.IwarpDevice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Internal receives that the application does not post. A message gets a buffer from an allocator when its first
 * segment arrives, and the application gets that buffer with the completion. The receive queue depth limits the number
 * of messages that are incomplete or wait to be polled. An idle queue pair holds no buffer.
 *
 * <p>Segments must arrive in ascending order without gaps, message after message, as each sender over TCP sends them.
 * Repeated and overlapping segments are legal. A stream thus holds one buffer, of at most {@link #GROWTH} times the
 * received bytes. {@link IwarpDevice#maxManagedReceiveBytes} limits the buffers of all streams, until their messages
 * are delivered; those of a {@link MessageQueue}, until they are taken.
 */
final class ManagedReceives extends ReceiveSource {
    /** The factor between the received bytes of an incomplete message and the capacity of its buffer. */
    private static final long GROWTH = 4;

    private final Supplier<@Nullable CompletionTarget> target;
    private final ByteBufAllocator allocator;
    private final InputBudget.Reservation reservation;
    /** Whether the current message uses the reservation. */
    private boolean usesReservation;

    private final int maxMessageBytes;
    private final PostRing<ReceiveRequest> ring;

    /**
     * @param target returns where messages go; null if nothing is set
     * @param bytes the maximum length of a message
     */
    ManagedReceives(
            Channel channel,
            StreamAssociation stream,
            DrainSchedule drains,
            ReceiveStall stall,
            Supplier<@Nullable CompletionTarget> target,
            int depth,
            int bytes) {
        super(stream, drains, stall);
        this.target = target;
        this.allocator = channel.alloc();
        this.reservation = stream.managedReceiveBudget().reservation(stall::wake);
        this.maxMessageBytes = bytes;
        this.ring = new PostRing<>(depth, Receive::new);
    }

    private final class Receive extends ReceiveRequest {
        @Override
        protected long capacity() {
            return isImmediate() ? super.capacity() : maxMessageBytes;
        }

        @Override
        protected boolean ascendingOnly() {
            return true;
        }

        @Override
        protected @Nullable ByteSpan sinkFor(DdpSegment segment) {
            if (isImmediate()) {
                return super.sinkFor(segment);
            }
            int end = (int) segment.messageOffset() + segment.payloadLength();
            ByteBuf buffer = buffer();
            if (segment.last()) {
                // A message of one segment is delivered immediately and need not be counted.
                return buffer == null ? allocate(end, end) : reserveOrWait(end) ? trim(buffer, end) : null;
            }
            if (end == 0 || (buffer != null && end <= buffer.capacity())) {
                return sink();
            }
            int capacity = (int) Math.min(maxMessageBytes, GROWTH * end);
            return reserveOrWait(capacity)
                    ? buffer == null ? allocate(capacity, maxMessageBytes) : resize(buffer, capacity)
                    : null;
        }

        private ByteSpan allocate(int capacity, int maxCapacity) {
            return sink().wrap(allocator.directBuffer(capacity, maxCapacity), 0, capacity);
        }

        private ByteSpan resize(ByteBuf buffer, int capacity) {
            return sink().wrap(buffer.capacity(capacity), 0, capacity);
        }

        /** Shrinks the buffer of a complete message to at most twice its length, since the application may keep it. */
        private ByteSpan trim(ByteBuf buffer, int end) {
            int capacity = buffer.capacity();
            if (end > capacity) {
                return resize(buffer, end);
            }
            if (capacity / 2 <= end) {
                return sink();
            }
            // Reducing the capacity of a pooled buffer does not release memory.
            ByteBuf exact = allocator.directBuffer(end, end);
            exact.setBytes(0, buffer, 0, (int) Math.min(end, coverage().contiguous()));
            buffer.release();
            return sink().wrap(exact, 0, end);
        }

        @Override
        void clear() {
            super.clear();
            if (usesReservation) {
                usesReservation = false;
                reservation.release();
            }
        }
    }

    private boolean reserveOrWait(int capacity) {
        usesReservation = true;
        return reservation.reserveOrWait(capacity);
    }

    @Override
    QueueSlots slots() {
        return ring;
    }

    /** An idle receive was not posted. */
    @Override
    int inUseCount() {
        return ring.startedUnreleasedCount();
    }

    @Override
    String useDescription() {
        return "delivered and not polled, none has to be posted";
    }

    @Override
    String postingHint() {
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
        return Math.min(1, ring.readyCount());
    }

    @Override
    @Nullable
    ReceiveRequest receive(int ahead) {
        if (ahead != 0 || available() == 0) {
            return null;
        }
        ReceiveRequest next = ring.peek(0);
        return next.hasStarted() || mayBegin() ? next : null;
    }

    private boolean mayBegin() {
        return !(target.get() instanceof MessageQueue queue) || queue.mayBegin();
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer delivered) {
        CompletionTarget listener = target.get();
        if (listener == null) {
            return noListenerFault();
        }
        ReceiveRequest request = ring.peek(0);
        ProtocolFault fault = fill(request);
        if (fault == null) {
            ring.startNext();
            ByteBuf buffer = request.buffer();
            if (buffer != null) {
                buffer.retain();
            }
            request.clear();
            ring.done();
            completeInBurst(listener, ring);
        }
        return fault;
    }

    @Override
    boolean isAwaitingApplication() {
        return target.get() instanceof MessageQueue;
    }

    @Override
    boolean isAwaitingMemory() {
        return reservation.isWaiting();
    }

    /** Releases the internal receives, together with incomplete messages. */
    @Override
    void flush(CloseReason reason) {
        for (ReceiveRequest request = ring.startNext(); request != null; request = ring.startNext()) {
            request.clear();
            ring.done();
            ring.release();
        }
        reservation.close();
    }
}
