package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.internal.memory.ByteSpan;
import io.iwarp.memory.LocalBuffer;
import io.iwarp.rdmap.Opcode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * One receive: posted on a queue pair or on a shared receive queue, or made by {@link ManagedReceives}. A Send is
 * placed in the posted buffer. Immediate Data consumes the receive and does not change the buffer, so a buffer of any
 * size is sufficient.
 */
class ReceiveRequest extends UntaggedBuffer implements LoopFuture.Cancellable {
    private static final int IMMEDIATE_LENGTH = Long.BYTES;

    private long position;
    private long id;
    private @Nullable CompletionTarget target;
    private @Nullable ByteSpan immediateSink;
    private boolean cancelled;

    /** Takes a reference to a buffer for a receive. */
    static void retain(ByteBuf sink) {
        requireWritable(!sink.isReadOnly(), sink);
        if (!sink.isWritable() && sink.capacity() > 0) {
            throw new IllegalArgumentException("the sink " + sink + " has no writable byte: clear() it before it is"
                    + " used again, or use Unpooled.EMPTY_BUFFER for messages of no bytes");
        }
        ByteSpan.retain("sink", sink);
    }

    /** Takes a reference to the region of a piece for a receive. */
    static void retain(LocalBuffer sink) {
        requireWritable(!sink.isReadOnly(), sink);
        DdpMessage.requireLength("sink", sink.length());
        ByteSpan.retain(ByteSpan.region(sink), ByteSpan.offset(sink), sink.length());
    }

    private static void requireWritable(boolean writable, Object sink) {
        if (!writable) {
            throw new IllegalArgumentException("a receive needs writable memory, the sink " + sink + " is read-only");
        }
    }

    @Override
    public void cancel(LoopFuture<?> future) {
        throw new IllegalStateException("a receive of this kind has no future");
    }

    /** Event loop: returns whether the application has cancelled this receive, and no message uses it. */
    final boolean isCancelRequested() {
        return cancelled || (target instanceof LoopFuture<?> future && !hasStarted() && future.isSettled());
    }

    /** Event loop: ends a receive that no message uses, and gives its memory back. May be called again. */
    final void cancel() {
        cancelled = true;
        releaseMemory();
    }

    ReceiveRequest set(long workRequestId, @Nullable CompletionTarget newTarget) {
        id = workRequestId;
        if (target != newTarget) {
            target = newTarget;
        }
        return this;
    }

    /** Returns the position in the ring of posts. */
    long position() {
        return position;
    }

    void position(long newPosition) {
        position = newPosition;
    }

    @Override
    protected long capacity() {
        return isImmediate() ? IMMEDIATE_LENGTH : sink().length();
    }

    @Override
    protected @Nullable ByteSpan sinkFor(DdpSegment segment) {
        return isImmediate() ? immediateSink() : sink();
    }

    /** Returns whether the message that has begun is Immediate Data. */
    final boolean isImmediate() {
        return Opcode.isImmediate(control());
    }

    private ByteSpan immediateSink() {
        ByteSpan span = immediateSink;
        if (span == null) {
            span = new ByteSpan().wrap(Unpooled.buffer(IMMEDIATE_LENGTH, IMMEDIATE_LENGTH), 0, IMMEDIATE_LENGTH);
            immediateSink = span;
        }
        return span;
    }

    /** Returns the Immediate Data that was delivered. */
    long immediate() {
        return immediateSink().bufferAt(0).getLong(0);
    }

    long id() {
        return id;
    }

    /** Returns the buffer for the completion; null for a receive into a region. */
    @Nullable
    ByteBuf buffer() {
        return sink().buffer();
    }

    @Nullable
    CompletionTarget target() {
        return target;
    }

    /**
     * Fills a completion for a message of the given type.
     *
     * @param message what arrived: this receive, or a cancelled one
     */
    CompletionView received(CompletionView completion, ReceiveRequest message, Opcode opcode) {
        return opcode.immediate()
                ? completion.setImmediate(id, buffer(), message.immediate(), opcode.solicited())
                : completion.setReceive(
                        id,
                        buffer(),
                        message.messageLength(),
                        opcode.invalidates() ? message.rsvdUlp() : 0,
                        opcode.solicited());
    }

    /** Fills a completion for a receive that was flushed because the stream ended. */
    CompletionView flushed(CompletionView completion, CloseReason reason) {
        return completion.setFlushed(id, buffer(), reason);
    }

    /** Ends the use of the receive. */
    void clear() {
        releaseMemory();
        reset();
        cancelled = false;
        // Keep shared targets: writing the reference again costs a GC barrier.
        if (target instanceof LoopFuture<?>) {
            target = null;
        }
    }

    private void releaseMemory() {
        try {
            sink().release();
        } catch (Throwable releasedBefore) {
            MemoryMisuse.log(Operation.RECEIVE, id, releasedBefore);
        }
        sink().clear();
    }
}
