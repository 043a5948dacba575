package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.rdmap.RdmapRequest;
import io.netty.buffer.ByteBuf;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One posted request, in a slot of a {@link PostRing} or pending. Its payload is the local memory of the request: the
 * source of a Send or Write, or the sink of a Read. The thread that claims the slot fills and publishes it. The event
 * loop then owns it until the request has completed.
 */
final class WorkRequest extends RdmapRequest implements LoopFuture.Cancellable {
    private final BiConsumer<WorkRequest, LoopFuture<?>> onCancel;
    private long position;
    private long reservedBytes;
    private boolean started;
    private boolean cancelled;
    private long id;
    private Operation operation = Operation.SEND;
    private @Nullable CompletionTarget target;
    private @Nullable ReadSink readSink;
    private long postedNanos;
    private long countedBytes;
    private @Nullable LongOperationEvent event;

    /** @param onCancel called by any thread when the application has settled the future of the request */
    WorkRequest(BiConsumer<WorkRequest, LoopFuture<?>> onCancel) {
        this.onCancel = onCancel;
    }

    /**
     * Sets the position of the request and the bytes reserved for it.
     *
     * @param newPosition in the ring of posts, or that of a pending post
     * @param bytes the bytes reserved from a limit
     */
    void claimed(long newPosition, long bytes) {
        position = newPosition;
        reservedBytes = bytes;
    }

    void set(long workRequestId, Operation newOperation, @Nullable CompletionTarget newTarget) {
        id = workRequestId;
        if (operation != newOperation) {
            operation = newOperation;
        }
        if (target != newTarget) {
            target = newTarget;
        }
    }

    /** Returns the position in the ring of posts. */
    long position() {
        return position;
    }

    /** Returns the bytes reserved from a limit for the request. */
    long reservedBytes() {
        return reservedBytes;
    }

    /** Event loop: the request begins. */
    void start() {
        started = true;
    }

    /** Event loop: returns whether the request has begun. */
    boolean started() {
        return started;
    }

    /** Cancels a request that has not begun, and releases its memory. */
    void cancel() {
        cancelled = true;
        reservedBytes = 0;
        releaseMemory();
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Event loop: returns whether the request was cancelled, or its future was settled by the application. */
    boolean isCancelRequested() {
        return cancelled || (target instanceof LoopFuture<?> future && future.isSettled());
    }

    /** Event loop: returns whether the request has completed or was cancelled. */
    boolean isFinished() {
        return cancelled || done();
    }

    @Override
    public void cancel(LoopFuture<?> future) {
        onCancel.accept(this, future);
    }

    @Override
    protected boolean beginPlacement() {
        return !(target instanceof LoopFuture<?> future) || future.beginPlacement(this);
    }

    @Override
    protected void endPlacement() {
        if (target instanceof LoopFuture<?> future) {
            future.endPlacement(this);
        }
    }

    long id() {
        return id;
    }

    Operation operation() {
        return operation;
    }

    /** Sets the buffer of a Read that was posted with a buffer. It is closed with this request. */
    void readSink(ReadSink sink) {
        readSink = sink;
    }

    /** Sets the time of the post; 0 if it is not recorded. */
    void postedAt(long nanos) {
        postedNanos = nanos;
    }

    /** Returns the time of the post, or 0. */
    long postedNanos() {
        return postedNanos;
    }

    /** Sets the flight recorder event to commit at the completion. */
    void event(@Nullable LongOperationEvent newEvent) {
        event = newEvent;
    }

    /** Returns the flight recorder event, or null. */
    @Nullable
    LongOperationEvent event() {
        return event;
    }

    /** Sets the number of bytes counted as outstanding. */
    void countedBytes(long bytes) {
        countedBytes = bytes;
    }

    /** Returns the number of bytes counted as outstanding. */
    long countedBytes() {
        return countedBytes;
    }

    /** Returns the number of bytes that the request moves. */
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

    /** Fills a completion: success if {@code reason} is null, otherwise flushed with that reason. */
    CompletionView report(CompletionView completion, @Nullable CloseReason reason) {
        ByteBuf buffer = readSink == null ? null : readSink.buffer();
        return reason == null
                ? completion.setRequest(id, operation, bytes(), buffer, original(), null)
                : completion.setRequest(id, operation, 0, buffer, 0, reason);
    }

    /**
     * Moves the writer index of the buffer that was read into, if there is one and the Read was not cancelled.
     *
     * @return the fault of the memory that the application lent to this request; null if there is none
     */
    @Nullable
    ProtocolFault fillSink() {
        ReadSink sink = readSink;
        ByteBuf buffer = sink == null ? payload().buffer() : sink.buffer();
        if (buffer != null && buffer.refCnt() == 0) {
            return MemoryMisuse.releasedFault(operation, id);
        }
        if (sink == null || !beginPlacement()) {
            return null;
        }
        try {
            return sink.fill(readLength()) ? null : MemoryMisuse.changedFault(operation, id, readLength());
        } finally {
            endPlacement();
        }
    }

    /** Ends the use of the request. */
    void clear() {
        releaseMemory();
        // Keep shared targets: writing the reference again costs a GC barrier.
        if (target instanceof LoopFuture<?>) {
            target = null;
        }
        reservedBytes = 0;
        started = false;
        cancelled = false;
    }

    /** Ends the use of the local memory. May be called again. */
    void releaseMemory() {
        try {
            payload().release();
        } catch (Throwable releasedBefore) {
            MemoryMisuse.log(operation, id, releasedBefore);
        }
        payload().clear();
        ReadSink sink = readSink;
        if (sink != null) {
            readSink = null;
            try {
                sink.close();
            } catch (Throwable releasedBefore) {
                MemoryMisuse.log(operation, id, releasedBefore);
            }
        }
    }
}
