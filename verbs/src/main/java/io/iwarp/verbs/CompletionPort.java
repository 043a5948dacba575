package io.iwarp.verbs;

import io.netty.channel.EventLoop;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connects the send or receive queue of one queue pair to a {@link CompletionQueue} and holds its reservation there.
 *
 * <p>A request counts towards the {@link QueueSlots} until its completion is polled. Posted requests and waiting
 * completions together thus never exceed the depth, for which the completion queue has room. The reservation ends once,
 * when the stream has ended and all completions are polled.
 */
final class CompletionPort implements CompletionTarget {
    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final QueueSlots slots;
    /** The number of ports of the queue pair at this queue that may have completions to poll. All of them share it. */
    private final AtomicInteger openPortCount;

    private final AtomicBoolean reservationReleased = new AtomicBoolean();
    private volatile boolean ended;

    /**
     * Reserves room in the queue for all completions of this port.
     *
     * @throws io.iwarp.memory.ResourceLimitException if the completion queue has none left
     */
    CompletionPort(QueuePair queuePair, CompletionQueue queue, QueueSlots slots, AtomicInteger openPortCount) {
        this.queuePair = queuePair;
        this.queue = queue;
        this.slots = slots;
        this.openPortCount = openPortCount;
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
        QueueSlots sendSlots = queuePair.engine().requests();
        QueueSlots receiveSlots = queuePair.engine().receiveSide().source().slots();
        boolean sameQueue = sends == receives;
        AtomicInteger openPortCount = new AtomicInteger(sameQueue ? 2 : 1);
        CompletionPort sendPort = new CompletionPort(queuePair, sends, sendSlots, openPortCount);
        CompletionPort receivePort = null;
        try {
            receivePort = new CompletionPort(
                    queuePair, receives, receiveSlots, sameQueue ? openPortCount : new AtomicInteger(1));
            sendSlots.allowReleaseByAnyThread();
            receiveSlots.allowReleaseByAnyThread();
        } catch (Throwable refused) {
            sendPort.releaseReservation();
            if (receivePort != null) {
                receivePort.releaseReservation();
            }
            throw refused;
        }
        queuePair.completeIn(sendPort, receivePort);
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Returns the number of completions to reserve room for. */
    int requiredCapacity() {
        return slots.depth();
    }

    EventLoop eventLoop() {
        return queuePair.channel().eventLoop();
    }

    @Override
    public void complete(CompletionView completion, QueueSlots slots) {
        queue.add(this, completion);
    }

    /** Consumer: called when one completion is taken from the queue, so that another request may be posted. */
    void onPolled() {
        slots.release();
        queuePair.engine().receiveSide().receiveStall().wake();
        if (ended) {
            releaseReservationIfEnded();
        }
    }

    @Override
    public void end() {
        ended = true;
        releaseReservationIfEnded();
    }

    /** Releases the unused reservation. */
    private void releaseReservation() {
        queue.release(this);
    }

    /**
     * The end is in the queue before the reservation is released: a thread that sees no reservation left can poll the
     * end.
     */
    private void releaseReservationIfEnded() {
        if (slots.unreleasedCount() == 0 && reservationReleased.compareAndSet(false, true)) {
            if (openPortCount.decrementAndGet() == 0) {
                queue.addEnd(queuePair);
            }
            queue.release(this);
        }
    }
}
