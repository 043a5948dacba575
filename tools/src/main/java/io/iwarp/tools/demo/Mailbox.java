package io.iwarp.tools.demo;

import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;

/**
 * A fixed number of receives, posted together and taken one by one. Unlike a {@code Conversation}, it also reports
 * Immediate Data, Solicited Events and invalidated STags.
 *
 * <p>Not thread-safe. Do not call it on an event loop.
 */
final class Mailbox {
    private final ArrayDeque<CompletableFuture<Completion>> receives = new ArrayDeque<>();

    /**
     * Posts the receives. The connection may not be established yet.
     *
     * @param bytes the longest message
     */
    Mailbox(QueuePair queuePair, int count, int bytes) {
        for (int i = 0; i < count; i++) {
            receives.add(queuePair.receive(Unpooled.buffer(bytes, bytes)));
        }
    }

    /** Waits for the next message or Immediate Data. */
    Completion next() throws IOException, InterruptedException {
        return Endpoint.await(receives.remove());
    }

    /** Waits for the next message and returns its length in bytes. */
    ByteBuf nextMessage() throws IOException, InterruptedException {
        ByteBuf message = next().buffer();
        return message == null ? Unpooled.EMPTY_BUFFER : message;
    }
}
