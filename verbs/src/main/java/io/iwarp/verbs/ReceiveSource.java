package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.rdmap.Opcode;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The source of receives for the messages of a queue pair's peer: receives posted by the application, buffers of an
 * allocator, or a shared receive queue. Confined to the event loop unless a method says otherwise.
 */
abstract class ReceiveSource implements ReceiveStall.Source {
    private final StreamAssociation stream;
    private final DrainSchedule drains;
    private final ReceiveStall stall;
    /** Whether a message waits for a receive or for memory. */
    private boolean hasWaitingMessage;
    /** Reused for every call of a listener. */
    final CompletionView completion = new CompletionView();

    ReceiveSource(StreamAssociation stream, DrainSchedule drains, ReceiveStall stall) {
        this.stream = stream;
        this.drains = drains;
        this.stall = stall;
    }

    /** Reports the {@link #completion} of a message. Posts need no wake-up until the end of the burst. */
    final void completeInBurst(@Nullable CompletionTarget target, QueueSlots slots) {
        drains.beginBurst();
        complete(target, slots);
    }

    /**
     * Reports the {@link #completion}.
     *
     * @param target null if it is not reported
     */
    final void complete(@Nullable CompletionTarget target, QueueSlots slots) {
        if (target == null) {
            slots.release();
        } else {
            target.complete(completion, slots);
        }
    }

    /** Returns the slots of the receive queue. */
    abstract QueueSlots slots();

    /**
     * Any thread: returns the number of receives that the application posted or has to poll, 0 to the depth of the
     * bound.
     */
    int inUseCount() {
        return slots().unreleasedCount();
    }

    /** Returns what {@link #inUseCount} counts, as the text after the count and the depth. */
    abstract String useDescription();

    /** Returns why the application may not post receives, and the alternative; null if it may. */
    @Nullable
    String postingHint() {
        return null;
    }

    /**
     * Any thread: claims a receive to fill and {@link #publish}. Returns null if there is no room, or receives cannot
     * be posted.
     */
    @Nullable
    ReceiveRequest claim() {
        return null;
    }

    /** Any thread: publishes a claimed receive. */
    void publish(ReceiveRequest request) {
        throw new IllegalStateException("no receive can be claimed here");
    }

    /** Refuses further claims. Called once. */
    abstract void close();

    /** Flushes all receives. May be called again. */
    abstract void flush(CloseReason reason);

    @Override
    public void prepareToWait() {}

    /**
     * Returns the receive {@code ahead} places after the head, which may have to be fetched first.
     *
     * @param ahead 0 for the head; unsigned
     * @return null if there is none
     */
    abstract @Nullable ReceiveRequest receive(int ahead);

    /** Returns whether the message that has begun waits for memory. */
    boolean isAwaitingMemory() {
        return false;
    }

    /** Returns whether a message without a receive waits until the application takes earlier ones. */
    boolean isAwaitingApplication() {
        return false;
    }

    @Override
    public final boolean findReceive() {
        return receive(0) != null && !isAwaitingMemory();
    }

    @Override
    public final @Nullable UntaggedBuffer buffer(int ahead) {
        ReceiveRequest receive = receive(ahead);
        if (receive != null && hasWaitingMessage) {
            hasWaitingMessage = false;
            stall.onReceiveFound();
        }
        return receive;
    }

    @Override
    public final boolean awaitBuffer() {
        hasWaitingMessage = true;
        return (isAwaitingMemory() || isAwaitingApplication()) ? stall.awaitMemory(this) : stall.awaitReceive(this);
    }

    /** Returns the fault for a message that no listener or completion queue can get. */
    static ProtocolFault noListenerFault() {
        return new ProtocolFault(
                ProtocolError.DDP_LOCAL_CATASTROPHIC,
                "no target for a message: set a completion listener or a completion queue on the queue pair before the"
                        + " connection is made");
    }

    /** Fills the completion of a receive with its own message; see {@link #fill(ReceiveRequest, ReceiveRequest)}. */
    final @Nullable ProtocolFault fill(ReceiveRequest request) {
        return fill(request, request);
    }

    /** Fills {@link #completion} and the buffer for a message. Returns the fault, or null on success. */
    final @Nullable ProtocolFault fill(ReceiveRequest request, ReceiveRequest message) {
        Opcode opcode = Opcode.of(message);
        request.received(completion, message, opcode);
        if (opcode.invalidates()) {
            completion.setInvalidatedWindow(stream.takeInvalidatedWindow());
        }
        ByteBuf buffer = request.buffer();
        if (buffer == null) {
            return null;
        }
        if (buffer.refCnt() == 0) {
            return MemoryMisuse.releasedFault(Operation.RECEIVE, request.id());
        }
        long end = buffer.writerIndex() + completion.bytes();
        if (end > buffer.capacity()) {
            return MemoryMisuse.changedFault(Operation.RECEIVE, request.id(), completion.bytes());
        }
        buffer.writerIndex((int) end);
        return null;
    }
}
