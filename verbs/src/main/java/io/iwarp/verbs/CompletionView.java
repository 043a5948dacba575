package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.iwarp.memory.MemoryWindow;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The result of one posted work request (a verbs work completion), as a {@link CompletionListener} sees it, from an
 * event loop or from {@link CompletionQueue#poll}. The object is reused: it is valid during that call only, and on the
 * thread that got it. {@link #copy} keeps its values.
 *
 * <p>Each request completes exactly once. Receives complete in the order the peer's messages arrived, all others in the
 * order they were posted; the two kinds are not ordered relative to each other. Success of a Send, Write or Immediate
 * Data means that all its bytes were handed to the transport and the local memory may be used again; it does not mean
 * that the peer has them (RFC 5040 section 5.5). {@link QueuePair#placed} says that. Success of a Read or atomic means
 * that its result has arrived.
 */
public sealed class CompletionView permits Completion {
    private long workRequestId;
    private Operation operation = Operation.SEND;
    private long bytes;
    private boolean solicited;
    private @Nullable ByteBuf buffer;
    private long originalValue;
    private boolean hasImmediate;
    private long immediate;
    private int invalidatedStag;
    private @Nullable MemoryWindow invalidatedWindow;
    private @Nullable CloseReason failure;

    CompletionView() {}

    /** Describes a request other than a receive. */
    CompletionView setRequest(
            long id, Operation type, long length, @Nullable ByteBuf sink, long original, @Nullable CloseReason reason) {
        set(id, type, length, sink, reason);
        originalValue = original;
        return this;
    }

    /** Describes a receive that took a message. */
    CompletionView setReceive(long id, @Nullable ByteBuf sink, long length, int invalidated, boolean isSolicited) {
        set(id, Operation.RECEIVE, length, sink, null);
        invalidatedStag = invalidated;
        solicited = isSolicited;
        return this;
    }

    /** Adds the window that the message invalidated, if it was one. */
    void setInvalidatedWindow(@Nullable MemoryWindow window) {
        if (invalidatedWindow != window) {
            invalidatedWindow = window;
        }
    }

    /** Describes a receive that took Immediate Data. */
    CompletionView setImmediate(long id, @Nullable ByteBuf sink, long data, boolean isSolicited) {
        set(id, Operation.RECEIVE, 0, sink, null);
        hasImmediate = true;
        immediate = data;
        solicited = isSolicited;
        return this;
    }

    /** Describes a receive that was flushed because the stream ended. */
    CompletionView setFlushed(long id, @Nullable ByteBuf sink, CloseReason reason) {
        set(id, Operation.RECEIVE, 0, sink, reason);
        return this;
    }

    private void set(long id, Operation type, long length, @Nullable ByteBuf sink, @Nullable CloseReason reason) {
        workRequestId = id;
        operation(type);
        bytes = length;
        solicited = false;
        buffer = sink;
        originalValue = 0;
        hasImmediate = false;
        immediate = 0;
        invalidatedStag = 0;
        setInvalidatedWindow(null);
        failure = reason;
    }

    private void operation(Operation type) {
        if (operation != type) {
            operation = type;
        }
    }

    /** Returns the work-request id that the application assigned at the post. */
    public long workRequestId() {
        return workRequestId;
    }

    /** Returns the operation of the request. */
    public Operation operation() {
        return operation;
    }

    /** Returns whether the request succeeded; otherwise {@link #failure} gives the reason of the flush. */
    public boolean successful() {
        return failure == null;
    }

    /** Returns why the request was flushed: the first cause that ended the stream; null if it succeeded. */
    public @Nullable CloseReason failure() {
        return failure;
    }

    /**
     * Returns the bytes sent, written, read or received, 0 to 2^32 - 1; 8 for an atomic or sent Immediate Data; 0 if it
     * failed, and for a receive that took Immediate Data, which does not change the posted buffer.
     */
    public long bytes() {
        return bytes;
    }

    /** Returns whether the peer requested an event with the message that this receive took. */
    public boolean solicited() {
        return solicited;
    }

    /**
     * Returns the 64 bits that an atomic found at its target (RFC 7306: Original Remote Data Value).
     *
     * @throws IllegalStateException if this is no atomic that succeeded
     */
    public long originalValue() {
        if (failure != null || (operation != Operation.FETCH_ADD && operation != Operation.COMPARE_SWAP)) {
            throw new IllegalStateException(
                    "there is an original value after an atomic that succeeded, and this is: " + this);
        }
        return originalValue;
    }

    /** Returns whether this receive took Immediate Data instead of a message. */
    public boolean hasImmediate() {
        return hasImmediate;
    }

    /**
     * Returns the Immediate Data that this receive took.
     *
     * @throws IllegalStateException if it {@linkplain #hasImmediate took none}
     */
    public long immediate() {
        if (!hasImmediate) {
            throw new IllegalStateException("there is no Immediate Data, test hasImmediate(): " + this);
        }
        return immediate;
    }

    /**
     * Returns the STag of this side that the peer's message invalidated, or 0 if it invalidated none: that of the
     * {@link #invalidatedWindow}, or of a region.
     */
    public int invalidatedStag() {
        return invalidatedStag;
    }

    /**
     * Returns the window that the peer's message invalidated; null if it invalidated none, or the STag of a region
     * ({@link #invalidatedStag}).
     */
    public @Nullable MemoryWindow invalidatedWindow() {
        return invalidatedWindow;
    }

    /**
     * Returns the buffer that was posted with a receive or Read, with its writer index moved past the received bytes;
     * null for a receive or Read into a region, and for other operations. The queue pair has released its own
     * reference; the poster's reference keeps the buffer alive. If the queue pair allocated the buffer
     * ({@link QueuePairSettings#managedReceiveBytes}), the application owns it and must release it.
     */
    public @Nullable ByteBuf buffer() {
        return buffer;
    }

    /** Returns the same values as an object that does not change. */
    public Completion copy() {
        return new Completion(this);
    }

    /** Copies all values of the other completion. */
    final CompletionView assign(CompletionView other) {
        workRequestId = other.workRequestId;
        operation = other.operation;
        bytes = other.bytes;
        solicited = other.solicited;
        buffer = other.buffer;
        originalValue = other.originalValue;
        hasImmediate = other.hasImmediate;
        immediate = other.immediate;
        invalidatedStag = other.invalidatedStag;
        setInvalidatedWindow(other.invalidatedWindow);
        failure = other.failure;
        return this;
    }

    /** Clears all references. */
    void clear() {
        buffer = null;
        setInvalidatedWindow(null);
        failure = null;
    }

    @Override
    public String toString() {
        return operation + " " + workRequestId + ", " + (failure == null ? result() : "flushed: " + failure);
    }

    private String result() {
        if (operation == Operation.FETCH_ADD || operation == Operation.COMPARE_SWAP) {
            return "found " + originalValue;
        }
        String moved = hasImmediate ? "Immediate Data " + immediate : bytes + " bytes";
        return invalidatedStag == 0 ? moved : moved + String.format(", invalidated STag 0x%08x", invalidatedStag);
    }
}
