package io.iwarp.tools;

import io.iwarp.Operation;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairClosedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a client, each time it asks, what the server's process has used up. Everything runs on the event loop. */
final class UsageSession {
    private static final Logger LOGGER = LoggerFactory.getLogger(UsageSession.class);

    private final QueuePair queuePair;
    private final ByteBuf question = Unpooled.buffer(ServerUsage.QUESTION_LENGTH, ServerUsage.QUESTION_LENGTH);

    UsageSession(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /** Posts the receive; call it before the connection is accepted. */
    void begin() {
        queuePair.completionListener((source, completion) -> onCompletion(completion));
        queuePair.receiveQueue().receive(0, question);
    }

    private void onCompletion(Completion completion) {
        if (completion.operation() != Operation.RECEIVE || !completion.successful()) {
            return;
        }
        boolean collected = question.isReadable() && question.readByte() == ServerUsage.COLLECTED;
        try {
            queuePair.receiveQueue().receive(0, question.clear());
            queuePair.sendQueue().send(0, (collected ? PerfUsage.collected() : PerfUsage.now()).encode());
        } catch (QueuePairClosedException e) {
            LOGGER.debug("{} has gone with its question", queuePair, e);
        }
    }
}
