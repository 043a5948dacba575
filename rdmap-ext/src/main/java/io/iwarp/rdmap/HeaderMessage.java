package io.iwarp.rdmap;

import io.iwarp.ddp.DdpMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** An outgoing untagged message that consists of an RDMAP header alone. Used again and again by a {@link Requester}. */
final class HeaderMessage extends DdpMessage {
    private final ByteBuf bytes = Unpooled.buffer(AtomicLayout.REQUEST_LENGTH, AtomicLayout.REQUEST_LENGTH);
    private @Nullable RdmapRequest completes;

    /** {@return an empty buffer to write the header to} */
    ByteBuf begin() {
        completes = null;
        return bytes.clear();
    }

    /** Makes the bytes written so far a message of this type. */
    void describe(Opcode opcode) {
        untagged(opcode.control(), 0, opcode.queue());
        payload().wrap(bytes, 0, bytes.readableBytes());
    }

    /** {@return the request that is complete when this message has been sent, or null} */
    @Nullable
    RdmapRequest completes() {
        return completes;
    }

    void completes(RdmapRequest request) {
        completes = request;
    }
}
