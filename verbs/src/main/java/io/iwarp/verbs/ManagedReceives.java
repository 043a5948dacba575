package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.memory.ByteSpan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Internal receives that the application does not post. A message gets a buffer from an allocator when its first
 * segment arrives, and the application gets that buffer with the completion. The receive queue depth limits the number
 * of messages that are incomplete or wait to be polled. An idle queue pair holds no buffer.
 */
final class ManagedReceives extends Receives {
    private final CompletionRoutes routes;
    private final PostRing<ReceiveRequest> ring;

    /** @param bytes the maximum length of a message */
    ManagedReceives(
            ReceiveWait wait,
            Completer completer,
            CompletionRoutes routes,
            int depth,
            ByteBufAllocator allocator,
            int bytes) {
        super(wait, completer);
        this.routes = routes;
        this.ring = new PostRing<>(depth, () -> new Receive(allocator, bytes));
    }

    private static final class Receive extends ReceiveRequest {
        private final ByteBufAllocator allocator;
        private final int bytes;

        Receive(ByteBufAllocator allocator, int bytes) {
            this.allocator = allocator;
            this.bytes = bytes;
        }

        @Override
        protected long room() {
            return isImmediate() ? super.room() : bytes;
        }

        @Override
        protected @Nullable ByteSpan sinkFor(DdpSegment segment) {
            if (isImmediate()) {
                return super.sinkFor(segment);
            }
            if (buffer() == null) {
                boolean whole = segment.last() && segment.messageOffset() == 0;
                int room = whole ? segment.payloadLength() : bytes;
                sink().wrap(allocator.directBuffer(room, room), 0, room);
            }
            return sink();
        }
    }

    @Override
    CompletionBound bound() {
        return ring;
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
        for (ReceiveRequest next = ring.claim(); next != null; next = ring.claim()) {
            ring.publish(next);
        }
        return ring.waiting();
    }

    @Override
    ReceiveRequest receive(int ahead) {
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
            completer.completeInBurst(target, completion, ring);
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
