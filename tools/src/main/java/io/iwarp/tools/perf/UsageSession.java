package io.iwarp.tools.perf;

import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the requests of a client for the resource usage of this process. */
final class UsageSession {
    private static final Logger LOGGER = LoggerFactory.getLogger(UsageSession.class);

    private final QueuePair queuePair;
    private final CollectedUsage collected;
    private final Supplier<PerfUsage> now;
    private final ByteBuf question = Unpooled.buffer(ServerUsage.QUESTION_LENGTH, ServerUsage.QUESTION_LENGTH);

    /**
     * @param collected answers requests for the usage after a collection
     * @param now returns the usage without one
     */
    UsageSession(QueuePair queuePair, CollectedUsage collected, Supplier<PerfUsage> now) {
        this.queuePair = queuePair;
        this.collected = collected;
        this.now = now;
    }

    /** Posts the receive; call it before the connection is accepted. */
    void begin() {
        queuePair.setCompletionListener((source, completion) -> onCompletion(completion));
        queuePair.receiveQueue().receive(0, question);
    }

    private void onCompletion(CompletionView completion) {
        if (completion.operation() != Operation.RECEIVE || !completion.successful()) {
            return;
        }
        if (question.isReadable() && question.readByte() == ServerUsage.COLLECTED) {
            collected.ask(this::answer);
        } else {
            answer(now.get());
        }
    }

    /** On any thread. The next question is received only now, so that a client waits for one answer at most. */
    private void answer(PerfUsage usage) {
        try {
            queuePair.receiveQueue().receive(0, question.clear());
            queuePair.sendQueue().send(0, usage.encode());
        } catch (ConnectionClosedException e) {
            LOGGER.debug("{} disconnected with a request pending", queuePair, e);
        }
    }
}
