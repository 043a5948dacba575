package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ProtocolFault;
import io.iwarp.ddp.UntaggedBuffer;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** The posted receives of a queue pair; DDP places incoming Sends straight into them. */
final class PostedReceives extends Receives {
    private final PostRing<ReceiveRequest> ring;

    PostedReceives(Channel channel, DrainSchedule drains, ReceiveStall stall, int depth) {
        super(channel, drains, stall);
        this.ring = new PostRing<>(depth, ReceiveRequest::new);
    }

    @Override
    CompletionBound bound() {
        return ring;
    }

    @Override
    String describeUse() {
        return "posted";
    }

    @Override
    @Nullable
    ReceiveRequest claim() {
        long position = ring.claim();
        if (position == PostRing.FULL) {
            return null;
        }
        ReceiveRequest request = ring.slot(position);
        request.position(position);
        return request;
    }

    @Override
    void publish(ReceiveRequest request) {
        ring.publish(request.position());
    }

    @Override
    void close() {
        ring.close();
    }

    @Override
    public int available() {
        return ring.waiting();
    }

    @Override
    @Nullable
    ReceiveRequest receive(int ahead) {
        return Integer.compareUnsigned(ahead, available()) < 0 ? ring.peek(ahead) : null;
    }

    @Override
    public @Nullable ProtocolFault deliver(UntaggedBuffer delivered) {
        ReceiveRequest request = ring.peek(0);
        ProtocolFault fault = fill(request, delivered);
        if (fault == null) {
            ring.take();
            completeInBurst(retire(request), ring);
        }
        return fault;
    }

    @Override
    void flush(CloseReason reason) {
        ReceiveRequest request = ring.take();
        while (request != null) {
            request.flushed(completion, reason);
            complete(retire(request), ring);
            request = ring.take();
        }
    }

    private @Nullable CompletionTarget retire(ReceiveRequest request) {
        CompletionTarget target = request.target();
        request.clear();
        ring.retire();
        return target;
    }
}
