package io.iwarp.rdmap;

import io.iwarp.ProtocolFault;
import io.iwarp.ddp.DdpSegment;
import io.iwarp.ddp.UntaggedBuffer;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes and consumes the ready-to-receive message of a peer-to-peer initiator if that is a Send. The message uses
 * the first message number of the Send queue, but no receive of the application. It is not reported to the application
 * (<a href="https://www.rfc-editor.org/rfc/rfc6581#section-4.4.2">RFC 6581 section 4.4.2</a>). A Write or Read in this
 * role needs no special handling. {@link Requester#sendReadyToReceive} sends the message; {@code SetupNegotiation} of
 * MPA chooses its kind.
 */
final class ReadyToReceiveQueue extends HeaderQueue {
    private boolean taken;

    ReadyToReceiveQueue() {
        super(1, 1);
    }

    /** Returns whether the first segment of the stream is the ready-to-receive message: an empty Send. */
    boolean takes(DdpSegment segment) {
        return Opcode.of(segment.control()) == Opcode.SEND && segment.payloadLength() == 0 && segment.last();
    }

    @Override
    public int available() {
        return taken ? 0 : 1;
    }

    @Override
    @Nullable
    ProtocolFault onMessage(UntaggedBuffer message, ByteBuf bytes) {
        taken = true;
        return null;
    }
}
