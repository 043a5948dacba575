package io.iwarp.rdmap;

import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** Sends the one Terminate of a stream, ahead of everything that is not on the wire yet. */
final class TerminateSender {
    private final RdmapLink link;
    private final DdpMessage message = new DdpMessage();
    private @Nullable ByteBuf bytes;
    private @Nullable ProtocolError error;

    TerminateSender(RdmapLink link) {
        this.link = link;
    }

    void send(Terminate terminate) {
        // On the heap: direct memory may be what the stream ends for. MPA copies so few bytes anyway.
        ByteBuf encoded = Unpooled.buffer(terminate.length());
        terminate.encode(encoded);
        bytes = encoded;
        error = terminate.error();
        message.untagged(Opcode.TERMINATE.control(), 0, RdmapLayout.TERMINATE_QUEUE);
        message.payload().wrap(encoded, 0, encoded.readableBytes());
        message.terminal(true);
        link.write(message);
        link.flush();
    }

    /** {@return what the Terminate says, or null before there is one} */
    @Nullable
    ProtocolError error() {
        return error;
    }

    /** {@return whether this is the Terminate} */
    boolean isTerminate(DdpMessage sent) {
        return sent == message;
    }

    /** Gives the memory back: the Terminate was sent, or never will be. */
    void release() {
        if (bytes != null) {
            message.payload().clear();
            bytes.release();
            bytes = null;
        }
    }
}
