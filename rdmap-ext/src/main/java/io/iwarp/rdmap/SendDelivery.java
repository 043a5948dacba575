package io.iwarp.rdmap;

import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.internal.memory.StreamAssociation;
import org.jspecify.annotations.Nullable;

/**
 * The queue of Sends and Immediate Data. Invalidates the STag that a Send names, and then delivers the message to the
 * application's receive queue (<a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>).
 */
final class SendDelivery implements UntaggedQueue {
    private final RdmapUlp ulp;
    private final UntaggedQueue receives;
    private final StreamAssociation stream;
    private final Runnable stall;

    /** @param stall called when a message must wait for a receive */
    SendDelivery(RdmapUlp ulp, StreamAssociation stream, Runnable stall) {
        this.ulp = ulp;
        this.receives = ulp.receiveQueue();
        this.stream = stream;
        this.stall = stall;
    }

    @Override
    public int available() {
        return receives.available();
    }

    @Override
    public boolean awaitBuffer() {
        boolean waits = receives.awaitBuffer();
        if (waits) {
            stall.run();
        }
        return waits;
    }

    @Override
    public @Nullable UntaggedBuffer buffer(int ahead) {
        return receives.buffer(ahead);
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer message) {
        ProtocolFault fault = switch (Opcode.of(message)) {
            case SEND_WITH_INVALIDATE, SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE -> invalidate(message.rsvdUlp());
            default -> null;
        };
        return fault == null ? deliverToReceive(message) : fault;
    }

    private @Nullable ProtocolFault deliverToReceive(UntaggedBuffer message) {
        // deliver() may reuse the buffer.
        Operation operation = Opcode.isImmediate(message.control()) ? Operation.IMMEDIATE : Operation.SEND;
        long bytes = message.messageLength();
        ProtocolFault fault = receives.deliver(message);
        if (fault == null) {
            ulp.onServed(operation, bytes);
        }
        return fault;
    }

    private @Nullable ProtocolFault invalidate(int stag) {
        return switch (stream.invalidate(stag)) {
            case INVALIDATED -> null;
            case NOT_PERMITTED ->
                new ProtocolFault(
                        ProtocolError.RDMAP_STAG_NOT_INVALIDATED,
                        String.format("STag 0x%08x is not tied to this stream alone", stag));
            case UNKNOWN ->
                new ProtocolFault(
                        ProtocolError.RDMAP_UNKNOWN_STAG_NOT_INVALIDATED,
                        String.format("STag 0x%08x is unknown or was revoked before", stag));
        };
    }
}
