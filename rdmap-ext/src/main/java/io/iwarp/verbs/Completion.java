package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * How one posted work request ended (a verbs work completion).
 *
 * <p>Each request completes exactly once. Sends and Writes complete in the order they were posted, receives in the order
 * the peer's messages arrived; the two kinds are not ordered against each other. Success of a Send or Write means that the
 * transport has taken over all its octets and the local memory may be used again; it does not mean that the peer's
 * application has seen them (RFC 5040 section 5.5).
 *
 * <p>The object that a {@link CompletionListener} gets is reused: it is valid during that call only, and {@link #copy}
 * keeps it. Futures get a copy. Confined to the thread that got it.
 */
public final class Completion {
    private long workRequestId;
    private Operation operation = Operation.SEND;
    private long octets;
    private boolean solicited;
    private @Nullable ByteBuf buffer;
    private @Nullable CloseReason failure;

    Completion() {}

    Completion set(WorkRequest request, @Nullable CloseReason reason) {
        workRequestId = request.id();
        operation = request.operation();
        octets = reason == null ? request.length() : 0;
        solicited = false;
        buffer = null;
        failure = reason;
        return this;
    }

    Completion set(ReceiveRequest request, long received, boolean solicitedEvent, @Nullable CloseReason reason) {
        workRequestId = request.id();
        operation = Operation.RECEIVE;
        octets = received;
        solicited = solicitedEvent;
        buffer = request.buffer();
        failure = reason;
        return this;
    }

    /** {@return the number the application gave the request when it posted it} */
    public long workRequestId() {
        return workRequestId;
    }

    /** {@return what was done} */
    public Operation operation() {
        return operation;
    }

    /** {@return whether the request did what was asked; otherwise {@link #failure} says why it was flushed} */
    public boolean successful() {
        return failure == null;
    }

    /** {@return why the request was flushed: the first cause that ended the stream; null if it succeeded} */
    public @Nullable CloseReason failure() {
        return failure;
    }

    /** {@return the octets sent, written or received, 0 to 2^32 - 1; 0 if it failed} */
    public long octets() {
        return octets;
    }

    /** {@return whether the peer asked for an event (Send with Solicited Event)} */
    public boolean solicited() {
        return solicited;
    }

    /**
     * {@return the buffer that was posted with the receive, its writer index moved past the received octets; null for a
     * receive into a region} The queue pair has given back its own reference: the poster's is what keeps the buffer.
     */
    public @Nullable ByteBuf buffer() {
        return buffer;
    }

    /** {@return a copy that stays as it is} */
    public Completion copy() {
        Completion copy = new Completion();
        copy.workRequestId = workRequestId;
        copy.operation = operation;
        copy.octets = octets;
        copy.solicited = solicited;
        copy.buffer = buffer;
        copy.failure = failure;
        return copy;
    }

    @Override
    public String toString() {
        String outcome = failure == null ? octets + " octets" : "flushed: " + failure;
        return operation + " " + workRequestId + ", " + outcome;
    }
}
