package io.iwarp.rdmap;

import io.iwarp.ddp.DdpMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** The message of a request that consists of an RDMAP header alone. A {@link Requester} reuses it. */
final class HeaderMessage extends DdpMessage {
    private final ByteBuf bytes = Unpooled.buffer(AtomicLayout.REQUEST_LENGTH, AtomicLayout.REQUEST_LENGTH);
    private @Nullable RdmapRequest completes;

    /** Makes this the Immediate Data, Read Request or Atomic Request of a request. */
    void describe(RdmapRequest request, Opcode opcode) {
        untagged(opcode.control(), 0, opcode.queue());
        payload().wrap(bytes, 0, request.writeHeader(bytes));
        completes = request.awaitsResponse() ? null : request;
    }

    /** Returns the request that completes when this message has been sent, or null. */
    @Nullable
    RdmapRequest completes() {
        return completes;
    }
}
