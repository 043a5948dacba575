package io.iwarp.transports;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.SharedReceiveQueue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;

/** A shared receive queue with receives for both ends, distinguished by the work-request id. */
final class SharedBuffers {
    private static final int DEPTH = 2 * Inbox.RECEIVES;

    private final SharedReceiveQueue queue = SharedReceiveQueue.create(DEPTH, Inbox.RECEIVES);
    private final Map<Long, ByteBuf> unused = new HashMap<>();
    private final Map<Long, ByteBuf> used = new HashMap<>();

    SharedBuffers() {
        for (long id = 0; id < DEPTH; id++) {
            ByteBuf buffer = Unpooled.directBuffer(Inbox.BYTES, Inbox.BYTES);
            unused.put(id, buffer);
            queue.receive(id, buffer);
        }
    }

    SharedReceiveQueue queue() {
        return queue;
    }

    /** Takes the buffer of a message out of those that wait for one; any thread. */
    synchronized void take(CompletionView message) {
        ByteBuf buffer = unused.remove(message.workRequestId());
        assertThat(buffer).as("taken once: %s", message).isNotNull().isSameAs(message.buffer());
        used.put(message.workRequestId(), buffer);
    }

    /** Returns how many no message has used. */
    synchronized int left() {
        return unused.size();
    }

    /** Nothing is taken from the queue any more. */
    synchronized void close() {
        queue.close();
        assertThat(unused.values()).allMatch(ByteBuf::release);
        assertThat(used.values()).allMatch(ByteBuf::release);
    }
}
