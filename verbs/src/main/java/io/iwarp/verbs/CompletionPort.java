package io.iwarp.verbs;

import io.netty.channel.EventLoop;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connects the send or receive queue of one queue pair to a {@link CompletionQueue} and holds its reservation there.
 *
 * <p>A request counts towards the {@link CompletionBound} until its completion is polled. So posted requests and
 * waiting completions together never exceed the depth, for which the completion queue has room. The reservation ends
 * once, when the stream has ended and all completions are polled.
 */
final class CompletionPort implements CompletionTarget {
    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final CompletionBound bound;
    /** The ports of the queue pair at this queue that have completions to poll. */
    private final AtomicInteger unfinished;

    private final AtomicBoolean returned = new AtomicBoolean();
    private volatile boolean ended;

    /**
     * Reserves the room.
     *
     * @throws io.iwarp.memory.ResourceLimitException if the completion queue has none left
     */
    CompletionPort(QueuePair queuePair, CompletionQueue queue, CompletionBound bound, AtomicInteger unfinished) {
        this.queuePair = queuePair;
        this.queue = queue;
        this.bound = bound;
        this.unfinished = unfinished;
        queue.reserve(this);
    }

    /**
     * Connects a queue pair to both completion queues, or to neither.
     *
     * @throws io.iwarp.memory.ResourceLimitException if a completion queue has no room left
     */
    static void open(QueuePair queuePair, CompletionQueue sends, CompletionQueue receives) {
        Objects.requireNonNull(sends, "sends");
        Objects.requireNonNull(receives, "receives");
        queuePair.requireFreeTargets();
        CompletionBound sent = queuePair.engine().sends();
        CompletionBound received = queuePair.engine().receives().receives().bound();
        boolean sameQueue = sends == receives;
        AtomicInteger unfinished = new AtomicInteger(sameQueue ? 2 : 1);
        CompletionPort sendPort = new CompletionPort(queuePair, sends, sent, unfinished);
        CompletionPort receivePort = null;
        try {
            receivePort =
                    new CompletionPort(queuePair, receives, received, sameQueue ? unfinished : new AtomicInteger(1));
            sent.releasedByConsumer();
            received.releasedByConsumer();
        } catch (Throwable refused) {
            sendPort.abandon();
            if (receivePort != null) {
                receivePort.abandon();
            }
            throw refused;
        }
        queuePair.completeIn(sendPort, receivePort);
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Returns the number of completions to reserve room for. */
    int room() {
        return bound.depth();
    }

    EventLoop eventLoop() {
        return queuePair.channel().eventLoop();
    }

    @Override
    public void complete(CompletionView completion, CompletionBound place) {
        queue.add(this, completion);
    }

    /** Consumer: called when one completion is taken from the queue, so that another request may be posted. */
    void polled() {
        bound.release();
        queuePair.engine().receives().receiveStall().wake();
        if (ended) {
            giveBackIfOver();
        }
    }

    @Override
    public void end() {
        ended = true;
        giveBackIfOver();
    }

    /** Ends the unused reservation. */
    private void abandon() {
        queue.giveBack(this);
    }

    /**
     * The end is in the queue before the reservation is given back: a thread that sees no reservation left can poll the
     * end.
     */
    private void giveBackIfOver() {
        if (bound.unreleased() == 0 && returned.compareAndSet(false, true)) {
            if (unfinished.decrementAndGet() == 0) {
                queue.addEnd(queuePair);
            }
            queue.giveBack(this);
        }
    }
}
