package io.iwarp.rdmap;

import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** The message of a stream's {@link Terminate}. It is sent before all messages that are not on the wire yet. */
final class OutgoingTerminate extends DdpMessage {
    private final @Nullable ProtocolError error;

    OutgoingTerminate(Terminate terminate) {
        // On the heap, as the stream may end because direct memory is exhausted. MPA copies short messages anyway.
        ByteBuf bytes = Unpooled.buffer(terminate.length());
        terminate.encode(bytes);
        untagged(Opcode.TERMINATE.control(), 0, Opcode.TERMINATE.queue());
        payload().wrap(bytes, 0, bytes.readableBytes());
        terminal(true);
        error = terminate.error();
    }

    /** Returns the error, or null if no RFC assigns its numbers. */
    @Nullable
    ProtocolError error() {
        return error;
    }
}
