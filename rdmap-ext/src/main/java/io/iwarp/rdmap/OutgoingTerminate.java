package io.iwarp.rdmap;

import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** The message of a stream's one {@link Terminate}. It is sent before everything that is not on the wire yet. */
final class OutgoingTerminate extends DdpMessage {
    private final @Nullable ProtocolError error;

    OutgoingTerminate(Terminate terminate) {
        // On the heap: direct memory may be what the stream ends for. MPA copies so few bytes anyway.
        ByteBuf bytes = Unpooled.buffer(terminate.length());
        terminate.encode(bytes);
        untagged(Opcode.TERMINATE.control(), 0, RdmapLayout.TERMINATE_QUEUE);
        payload().wrap(bytes, 0, bytes.readableBytes());
        terminal(true);
        error = terminate.error();
    }

    /** Returns what it says, or null for an error that no RFC assigns. */
    @Nullable
    ProtocolError error() {
        return error;
    }
}
