package io.iwarp.tools.perf;

import io.iwarp.tools.cli.Application;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Conversation;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Objects;

/**
 * A connection on which a client asks what the server's process has used up. The question is one byte, the answer a
 * {@link PerfUsage}. Not thread-safe. Do not call it on an event loop.
 */
final class ServerUsage {
    /** Nothing goes with the request or the reply. */
    static final Application PROTOCOL =
            new Application("iwarp perf usage 2", "a perf server of version 2, to be used by 'iwarp perf client'");

    /** Length in bytes. */
    static final int QUESTION_LENGTH = 1;

    /** The question for what is used when garbage is collected. */
    static final byte COLLECTED = 1;

    private static final byte NOW = 0;

    private final Conversation conversation;

    private ServerUsage(Conversation conversation) {
        this.conversation = conversation;
    }

    static ServerUsage connect(Endpoint endpoint, SocketAddress server, QueuePairSettings.Builder settings)
            throws IOException, InterruptedException {
        Conversation conversation = new Conversation();
        QueuePairSettings few = settings.sendQueueDepth(Conversation.DEPTH)
                .receiveQueueDepth(Conversation.DEPTH)
                .build();
        endpoint.connect(server, few, PROTOCOL.request(), conversation::attach);
        return new ServerUsage(conversation);
    }

    /** Returns the address of the server. */
    SocketAddress server() {
        return Objects.requireNonNull(conversation.queuePair().remoteAddress());
    }

    /** Returns what the server has used up until now. */
    PerfUsage now() throws IOException, InterruptedException {
        return ask(NOW);
    }

    /** Returns what the server has used up, and has in use when its garbage is collected. */
    PerfUsage collected() throws IOException, InterruptedException {
        return ask(COLLECTED);
    }

    private PerfUsage ask(byte question) throws IOException, InterruptedException {
        conversation.send(Unpooled.wrappedBuffer(new byte[] {question}));
        ByteBuf answer = conversation.receive();
        if (answer.readableBytes() != PerfUsage.ENCODED_LENGTH) {
            throw new CommandFailedException("the server answered with its use in " + answer.readableBytes()
                    + " bytes, not in " + PerfUsage.ENCODED_LENGTH + ": use the same version on both sides");
        }
        return PerfUsage.decode(answer);
    }

    /** Ends the connection, and waits for that. */
    void close() throws IOException, InterruptedException {
        conversation.close();
    }
}
