package io.iwarp.rdmap;

import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The queue for a peer's Terminate. It always has a buffer for one message (RFC 5040 section 5.4). */
final class TerminateQueue implements UntaggedQueue {
    private final Consumer<ByteBuf> receiver;
    private @Nullable UntaggedBuffer buffer;
    private @Nullable ByteBuf bytes;
    private boolean taken;

    TerminateQueue(Consumer<ByteBuf> receiver) {
        this.receiver = receiver;
    }

    @Override
    public int available() {
        return taken ? 0 : 1;
    }

    /** Allocates the buffer on the heap when a Terminate arrives, as most streams never receive one. */
    @Override
    public UntaggedBuffer buffer(int ahead) {
        if (buffer == null) {
            bytes = Unpooled.buffer(TerminateLayout.MAX_LENGTH);
            buffer = new UntaggedBuffer();
            buffer.sink().wrap(bytes, 0, TerminateLayout.MAX_LENGTH);
        }
        return buffer;
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer delivered) {
        taken = true;
        ByteBuf message = Objects.requireNonNull(bytes, "delivered without a buffer");
        message.setIndex(0, (int) delivered.messageLength());
        receiver.accept(message);
        return null;
    }
}
