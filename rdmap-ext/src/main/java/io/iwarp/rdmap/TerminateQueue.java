package io.iwarp.rdmap;

import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Room for the one Terminate that a peer may send; it is always there (RFC 5040 section 5.4). */
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

    /** The memory comes from the heap and only when a Terminate arrives: most streams never see one. */
    @Override
    public UntaggedBuffer buffer(int ahead) {
        if (buffer == null) {
            bytes = Unpooled.buffer(TerminateLayout.MAXIMUM_LENGTH);
            buffer = new UntaggedBuffer();
            buffer.sink().wrap(bytes, 0, TerminateLayout.MAXIMUM_LENGTH);
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
