package io.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Where the completions of requests posted with an id go: to the listener of the queue pair, or to completion queues. Set
 * up before the first post, by one thread; read by any.
 */
final class CompletionRoutes {
    private final QueuePair queuePair;
    private volatile @Nullable CompletionListener sendListener;
    private volatile @Nullable CompletionListener receiveListener;
    private volatile @Nullable CompletionPort sendPort;
    private volatile @Nullable CompletionPort receivePort;

    CompletionRoutes(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /** Sets who is told of what goes to no completion queue. */
    void listener(CompletionListener listener) {
        if (sendPort == null) {
            sendListener = listener;
        }
        if (receivePort == null) {
            receiveListener = listener;
        }
    }

    /** Reserves room in both queues, or in none. */
    void queues(
            CompletionQueue forSends, CompletionBound sends, CompletionQueue forReceives, CompletionBound receives) {
        if (sendPort != null) {
            throw new IllegalStateException("the queue pair has its completion queues already");
        }
        sends.releasedByConsumer();
        receives.releasedByConsumer();
        CompletionPort newSendPort = new CompletionPort(queuePair, forSends, sends);
        CompletionPort newReceivePort;
        try {
            newReceivePort = new CompletionPort(queuePair, forReceives, receives);
        } catch (IllegalStateException refused) {
            newSendPort.abandon();
            throw refused;
        }
        sendListener = newSendPort;
        receiveListener = newReceivePort;
        sendPort = newSendPort;
        receivePort = newReceivePort;
    }

    /** {@return whether completion queues were set} */
    boolean toCompletionQueues() {
        return sendPort != null;
    }

    CompletionListener forSends() {
        return required(sendListener);
    }

    CompletionListener forReceives() {
        return required(receiveListener);
    }

    /** {@return who is told of receives with an id, or null if nobody is set} */
    @Nullable
    CompletionListener receiveListener() {
        return receiveListener;
    }

    private static CompletionListener required(@Nullable CompletionListener listener) {
        if (listener == null) {
            throw new IllegalStateException("nobody would learn of the completion: set a completion listener or a"
                    + " completion queue on the queue pair, or use the form that returns a future");
        }
        return listener;
    }

    /** Event loop: the stream is over and everything posted so far was completed. May be called again. */
    void onFlushed() {
        CompletionPort sendEnd = sendPort;
        if (sendEnd != null) {
            sendEnd.end();
        }
        CompletionPort receiveEnd = receivePort;
        if (receiveEnd != null) {
            receiveEnd.end();
        }
    }
}
