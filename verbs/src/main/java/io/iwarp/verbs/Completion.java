package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.Operation;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * How one posted work request ended (a verbs work completion).
 *
 * <p>Each request completes exactly once. Receives complete in the order the peer's messages arrived, all others in the
 * order they were posted; the two kinds are not ordered against each other. Success of a Send, Write or Immediate Data
 * means that the transport has taken over all its bytes and the local memory may be used again; it does not mean that the
 * peer's application has seen them (RFC 5040 section 5.5). Success of a Read or atomic means that its result is here.
 *
 * <p>The object that a {@link CompletionListener} gets, from an event loop or from {@link CompletionQueue#poll}, is reused:
 * it is valid during that call only, and {@link #copy} keeps it. Futures get a copy. Confined to the thread that got it.
 */
public final class Completion {
    private long workRequestId;
    private Operation operation = Operation.SEND;
    private long bytes;
    private boolean solicited;
    private @Nullable ByteBuf buffer;
    private long original;
    private boolean hasImmediate;
    private long immediate;
    private int invalidatedStag;
    private @Nullable CloseReason failure;

    Completion() {}

    /** Tells of a request other than a receive. */
    Completion requested(
            long id, Operation what, long moved, @Nullable ByteBuf sink, long found, @Nullable CloseReason reason) {
        set(id, what, moved, sink, reason);
        original = found;
        return this;
    }

    /** Tells of a receive that took a message. */
    Completion received(long id, @Nullable ByteBuf sink, long length, int invalidated, boolean eventAsked) {
        set(id, Operation.RECEIVE, length, sink, null);
        invalidatedStag = invalidated;
        solicited = eventAsked;
        return this;
    }

    /** Tells of a receive that took Immediate Data. */
    Completion receivedImmediate(long id, @Nullable ByteBuf sink, long data, boolean eventAsked) {
        set(id, Operation.RECEIVE, 0, sink, null);
        hasImmediate = true;
        immediate = data;
        solicited = eventAsked;
        return this;
    }

    /** Tells of a receive that took no message, as the stream ended. */
    Completion flushed(long id, @Nullable ByteBuf sink, CloseReason reason) {
        set(id, Operation.RECEIVE, 0, sink, reason);
        return this;
    }

    private void set(long id, Operation what, long moved, @Nullable ByteBuf sink, @Nullable CloseReason reason) {
        workRequestId = id;
        operation(what);
        bytes = moved;
        solicited = false;
        buffer = sink;
        original = 0;
        hasImmediate = false;
        immediate = 0;
        invalidatedStag = 0;
        failure = reason;
    }

    private void operation(Operation what) {
        if (operation != what) {
            operation = what;
        }
    }

    /** Returns the number the application gave the request when it posted it. */
    public long workRequestId() {
        return workRequestId;
    }

    /** Returns what was done. */
    public Operation operation() {
        return operation;
    }

    /** Returns whether the request did what was asked; otherwise {@link #failure} says why it was flushed. */
    public boolean successful() {
        return failure == null;
    }

    /** Returns why the request was flushed: the first cause that ended the stream; null if it succeeded. */
    public @Nullable CloseReason failure() {
        return failure;
    }

    /**
     * Returns the bytes sent, written, read or received, 0 to 2^32 - 1; 8 for an atomic or sent Immediate Data; 0 if it
     * failed, and for a receive that took Immediate Data, which leaves the posted buffer alone.
     */
    public long bytes() {
        return bytes;
    }

    /** Returns whether the peer asked for an event with the message that this receive took. */
    public boolean solicited() {
        return solicited;
    }

    /** Returns the 64 bits that an atomic found at its target, as a number; 0 for other operations. */
    public long original() {
        return original;
    }

    /** Returns whether this receive took Immediate Data instead of a message. */
    public boolean hasImmediate() {
        return hasImmediate;
    }

    /** Returns the Immediate Data that this receive took; 0 if it took a message. */
    public long immediate() {
        return immediate;
    }

    /** Returns the STag of this side that the peer's message took back, or 0 if it took none back. */
    public int invalidatedStag() {
        return invalidatedStag;
    }

    /**
     * Returns the buffer that was posted with a receive or Read, its writer index moved past the bytes that came; null
     * for one into a region, and for other operations. The queue pair has given back its own reference: the poster's is
     * what keeps the buffer. A buffer that the queue pair took from an allocator
     * ({@link QueuePairSettings#managedReceiveBytes}) is the application's from this call on: release it.
     */
    public @Nullable ByteBuf buffer() {
        return buffer;
    }

    /** Returns a copy that stays as it is. */
    public Completion copy() {
        return new Completion().assign(this);
    }

    /** Makes this say what the other says. */
    Completion assign(Completion other) {
        workRequestId = other.workRequestId;
        operation = other.operation;
        bytes = other.bytes;
        solicited = other.solicited;
        buffer = other.buffer;
        original = other.original;
        hasImmediate = other.hasImmediate;
        immediate = other.immediate;
        invalidatedStag = other.invalidatedStag;
        failure = other.failure;
        return this;
    }

    /** Lets go of what the completion refers to. */
    void clear() {
        buffer = null;
        failure = null;
    }

    @Override
    public String toString() {
        String outcome = failure == null ? bytes + " bytes" : "flushed: " + failure;
        return operation + " " + workRequestId + ", " + outcome;
    }
}
