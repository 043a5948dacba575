package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.internal.memory.StreamAssociation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The posted receives of a queue pair; DDP places incoming Sends straight into them. A receive whose future the
 * application has cancelled takes no message: those that no message uses are skipped, and the message of one that was
 * cancelled later moves to the next receive.
 */
final class PostedReceives extends ReceiveSource {
    private static final int COPY_LENGTH = 64 * 1024;

    private final DrainSchedule drains;
    private final PostRing<ReceiveRequest> ring;
    /** Whether a receive may have been cancelled. It is set before the first future is given to the application. */
    private volatile boolean mayHaveCancelled;

    PostedReceives(StreamAssociation stream, DrainSchedule drains, ReceiveStall stall, int depth) {
        super(stream, drains, stall);
        this.drains = drains;
        this.ring = new PostRing<>(depth, Receive::new);
    }

    private final class Receive extends ReceiveRequest {
        @Override
        public void cancel(LoopFuture<?> future) {
            drains.execute(() -> {
                // Otherwise it has completed, and the slot may hold another receive.
                if (target() == future && !hasStarted()) {
                    cancel();
                }
            });
        }
    }

    @Override
    QueueSlots slots() {
        return ring;
    }

    @Override
    String useDescription() {
        return "posted";
    }

    @Override
    @Nullable
    ReceiveRequest claim() {
        long position = ring.claim();
        if (position == PostRing.FULL) {
            return null;
        }
        ReceiveRequest request = ring.slot(position);
        request.position(position);
        return request;
    }

    @Override
    void publish(ReceiveRequest request) {
        if (request.target() instanceof LoopFuture<?> future) {
            mayHaveCancelled = true;
            future.attach(request);
        }
        ring.publish(request.position());
    }

    @Override
    void close() {
        ring.close();
    }

    @Override
    public int available() {
        return ring.readyCount();
    }

    @Override
    @Nullable
    ReceiveRequest receive(int ahead) {
        int index = mayHaveCancelled ? indexOf(ahead) : ahead;
        return Integer.compareUnsigned(index, ring.readyCount()) < 0 ? ring.peek(index) : null;
    }

    /** Returns the index of a receive without those that are cancelled, or -1. Removes these from the head. */
    private int indexOf(int ahead) {
        skipCancelled();
        int remaining = ahead;
        for (int i = 0; i < ring.readyCount(); i++) {
            if (ring.peek(i).isCancelRequested()) {
                ring.peek(i).cancel();
            } else if (remaining-- == 0) {
                return i;
            }
        }
        return -1;
    }

    private void skipCancelled() {
        for (ReceiveRequest head = ring.next(); head != null && head.isCancelRequested(); head = ring.next()) {
            skipNext();
        }
    }

    private void skipNext() {
        ring.start().clear();
        ring.done();
        ring.release();
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer delivered) {
        ReceiveRequest message = Objects.requireNonNull(receive(0), "a message without a receive");
        ByteBuf buffer = message.buffer();
        int index = buffer == null ? 0 : buffer.writerIndex();
        ProtocolFault fault = fill(message);
        if (fault != null) {
            return fault;
        }
        if (settle(message)) {
            completeNext(message);
            return null;
        }
        if (buffer != null) {
            buffer.writerIndex(index);
        }
        return move(message);
    }

    private static boolean settle(ReceiveRequest request) {
        CompletionTarget target = request.target();
        return target == null || target.settle();
    }

    private void completeNext(ReceiveRequest request) {
        ring.start();
        CompletionTarget target = retire(request);
        completeInBurst(target, ring);
    }

    /** Moves the message of a receive that was cancelled after its first segment to the next receive. */
    private @Nullable ProtocolFault move(ReceiveRequest message) {
        while (true) {
            ReceiveRequest next = receive(1);
            long length = message.isImmediate() ? 0 : message.messageLength();
            if (next == null || next.hasStarted() || next.sink().length() < length) {
                return new ProtocolFault(
                        ProtocolError.DDP_UNTAGGED_NO_BUFFER,
                        "a receive was cancelled while a message of " + length
                                + " bytes arrived, and no other receive can take it: post the next one before");
            }
            copy(message.sink(), next.sink(), length);
            ProtocolFault fault = fill(next, message);
            if (fault != null) {
                return fault;
            }
            if (settle(next)) {
                while (ring.next() != next) {
                    skipNext();
                }
                completeNext(next);
                return null;
            }
            next.cancel();
        }
    }

    private static void copy(ByteSpan from, ByteSpan to, long length) {
        int chunkBytes = (int) Math.min(COPY_LENGTH, length);
        ByteBuf bytes = Unpooled.buffer(chunkBytes, Math.max(1, chunkBytes));
        for (long offset = 0; offset < length; offset += chunkBytes) {
            int count = (int) Math.min(chunkBytes, length - offset);
            from.get(offset, bytes, 0, count);
            to.put(offset, bytes, 0, count);
        }
    }

    @Override
    void flush(CloseReason reason) {
        ReceiveRequest request = ring.startNext();
        while (request != null) {
            request.flushed(completion, reason);
            boolean isReported = settle(request);
            CompletionTarget target = retire(request);
            complete(isReported ? target : null, ring);
            request = ring.startNext();
        }
    }

    private @Nullable CompletionTarget retire(ReceiveRequest request) {
        CompletionTarget target = request.target();
        request.clear();
        ring.done();
        return target;
    }
}
