package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.ProtocolFault;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.rdmap.RdmapRequest;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A slot of a {@link SendSide}: one posted request. Its payload is the local memory of the request: what a Send or Write
 * sends, or where a Read puts what it reads. Whoever claimed the slot fills it and publishes it; from then on
 * it is the event loop's until it has completed.
 */
final class WorkRequest extends RdmapRequest implements PostRing.Slot, Claim {
    private long position;
    private long id;
    private Operation operation = Operation.SEND;
    private @Nullable CompletionTarget target;
    private @Nullable MemoryRegion temporarySink;
    private @Nullable ByteBuf sinkBuffer;
    private long postedNanos;
    private long countedBytes;
    private @Nullable LongOperationEvent event;

    WorkRequest set(long workRequestId, Operation what, @Nullable CompletionTarget whoToTell) {
        id = workRequestId;
        if (operation != what) {
            operation = what;
        }
        if (target != whoToTell) {
            target = whoToTell;
        }
        return this;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void position(long newPosition) {
        position = newPosition;
    }

    long id() {
        return id;
    }

    Operation operation() {
        return operation;
    }

    /** The sink of a Read was registered for this request alone and ends with it. */
    void temporarySink(MemoryRegion region) {
        temporarySink = region;
    }

    /** What the bytes of a Read go into, if it was posted with a buffer. */
    void sinkBuffer(ByteBuf buffer) {
        sinkBuffer = buffer;
    }

    /** Takes the time of the post; 0 is for a request whose time is not taken. */
    void postedAt(long nanos) {
        postedNanos = nanos;
    }

    /** Returns the time of the post, or 0. */
    long postedNanos() {
        return postedNanos;
    }

    /** Remembers what the flight recorder is told at the completion. */
    void event(@Nullable LongOperationEvent newEvent) {
        event = newEvent;
    }

    /** Returns what the flight recorder is told, or null. */
    @Nullable
    LongOperationEvent event() {
        return event;
    }

    /** Remembers how many bytes of it are counted as outstanding. */
    void countedBytes(long bytes) {
        countedBytes = bytes;
    }

    /** Returns how many bytes of it are counted as outstanding. */
    long countedBytes() {
        return countedBytes;
    }

    /** Returns the bytes that the request moves. */
    long bytes() {
        return switch (operation) {
            case READ -> readLength();
            case FETCH_ADD, COMPARE_SWAP, IMMEDIATE -> Long.BYTES;
            default -> payload().length();
        };
    }

    @Nullable
    CompletionTarget target() {
        return target;
    }

    /** Makes a completion tell how the request ended: well, or with the reason why the stream did. */
    Completion tell(Completion completion, @Nullable CloseReason reason) {
        return reason == null
                ? completion.requested(id, operation, bytes(), sinkBuffer, original(), null)
                : completion.requested(id, operation, 0, sinkBuffer, 0, reason);
    }

    /**
     * Moves the writer index of the buffer that was read into, if there is one.
     *
     * @return what is wrong with the memory that the application lent to this request; null if nothing is
     */
    @Nullable
    ProtocolFault fillSink() {
        ByteBuf sink = sinkBuffer;
        ProtocolFault gone =
                LentMemory.check(operation, id, sink == null ? payload().buffer() : sink);
        if (gone != null || sink == null) {
            return gone;
        }
        long end = sink.writerIndex() + readLength();
        if (end > sink.capacity()) {
            return LentMemory.changed(operation, id, readLength());
        }
        sink.writerIndex((int) end);
        return null;
    }

    /** Ends the use of the local memory. */
    void clear() {
        LentMemory.giveBack(operation, id, payload());
        payload().clear();
        // Keep shared targets: writing the reference again costs a GC barrier.
        if (target instanceof CompletionFuture) {
            target = null;
        }
        sinkBuffer = null;
        MemoryRegion region = temporarySink;
        if (region != null) {
            temporarySink = null;
            LentMemory.giveBack(operation, id, region);
        }
    }
}
