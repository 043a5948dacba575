package io.iwarp.tools.kv;

import io.iwarp.Operation;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.QueueFullException;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairClosedException;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes the puts of one client. Everything runs on the event loop. */
final class KvSession {
    private static final Logger LOGGER = LoggerFactory.getLogger(KvSession.class);

    private final QueuePair queuePair;
    private final KvStore store;

    KvSession(QueuePair queuePair, KvStore store) {
        this.queuePair = queuePair;
        this.store = store;
    }

    /** Call it before the connection is accepted. */
    void begin() {
        queuePair.completionListener((source, completion) -> onCompletion(completion));
    }

    private void onCompletion(Completion completion) {
        if (completion.operation() != Operation.RECEIVE || !completion.successful()) {
            return;
        }
        if (completion.hasImmediate()) {
            giveUp("sent Immediate Data, which means nothing here");
            return;
        }
        ByteBuf message = Objects.requireNonNull(completion.buffer());
        try {
            queuePair.sendQueue().send(0, answer(KvPut.decode(message)).encode());
        } catch (IllegalArgumentException e) {
            giveUp("broke the rules: " + e.getMessage());
        } catch (QueueFullException e) {
            giveUp("sends puts and does not take the answers: " + e.getMessage());
        } catch (QueuePairClosedException e) {
            LOGGER.debug("{} has gone before it was told that its value is stored", queuePair, e);
        } finally {
            message.release();
        }
    }

    private KvReply answer(KvPut put) {
        try {
            long version = store.put(put.key(), put.value(), put.expected());
            return new KvReply(KvReply.Outcome.DONE, put.request(), version, "");
        } catch (KvConflictException e) {
            return new KvReply(KvReply.Outcome.CONFLICT, put.request(), e.version(), "");
        } catch (KvRefusedException e) {
            return new KvReply(KvReply.Outcome.REFUSED, put.request(), 0, String.valueOf(e.getMessage()));
        }
    }

    /** Without a stack trace, as the error is caused by the client. */
    private void giveUp(String complaint) {
        LOGGER.warn("{} {}; its connection is ended", queuePair, complaint);
        queuePair.abort();
    }
}
