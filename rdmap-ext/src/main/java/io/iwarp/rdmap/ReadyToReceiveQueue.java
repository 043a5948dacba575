package io.iwarp.rdmap;

import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Takes the ready-to-receive message of an initiator that comes as a Send: it uses up the first message number of the queue
 * of Sends, but no receive of the application, which never hears of it
 * (<a href="https://www.rfc-editor.org/rfc/rfc6581#section-4.4.2">RFC 6581 section 4.4.2</a>).
 */
final class ReadyToReceiveQueue extends HeaderQueue {
    private boolean taken;

    ReadyToReceiveQueue() {
        super(1, 1);
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
