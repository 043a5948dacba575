package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolError;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.rdmap.RdmapUlp;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The posted receives of a queue pair; DDP places incoming Sends straight into them. */
final class ReceiveQueue implements UntaggedQueue {
    private final PostRing<ReceiveRequest> ring;
    private final QueuePairEngine engine;
    private final Completion completion = new Completion();

    ReceiveQueue(QueuePairEngine engine, int depth) {
        this.engine = engine;
        this.ring = new PostRing<>(depth, ReceiveRequest::new);
    }

    PostRing<ReceiveRequest> ring() {
        return ring;
    }

    @Override
    public int available() {
        return ring.waiting();
    }

    @Override
    public UntaggedBuffer buffer(int ahead) {
        return ring.peek(ahead);
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer delivered) {
        ReceiveRequest request = ring.peek(0);
        completion.received(request, RdmapUlp.opcodeOf(delivered));
        ByteBuf buffer = request.buffer();
        if (buffer != null) {
            long end = buffer.writerIndex() + completion.octets();
            if (end > buffer.capacity()) {
                return new ProtocolFault(
                        ProtocolError.DDP_LOCAL_CATASTROPHIC,
                        "the application changed the buffer of a posted receive, which has no room now for the "
                                + completion.octets() + " octets that came: leave it alone until the completion");
            }
            buffer.writerIndex((int) end);
        }
        ring.take();
        engine.completeInBurst(release(request), completion);
        return null;
    }

    /** Completes everything posted with the reason why the stream ended. */
    void flush(CloseReason reason) {
        ReceiveRequest request = ring.take();
        while (request != null) {
            completion.flushed(request, reason);
            engine.complete(release(request), completion);
            request = ring.take();
        }
    }

    /** Frees the slot before the listener is told, so that it can post again at full depth. */
    private @Nullable CompletionListener release(ReceiveRequest request) {
        CompletionListener listener = request.listener();
        request.clear();
        ring.free(listener);
        return listener;
    }
}
