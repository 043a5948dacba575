package io.iwarp.transports;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;

/** Messages whose buffers come from a queue that both ends take from. */
final class SharedInbox extends Arrivals {
    private final SharedBuffers buffers;

    SharedInbox(SharedBuffers buffers) {
        this.buffers = buffers;
    }

    @Override
    void enter(QueuePair queuePair) {
        queuePair.setSharedReceiveQueue(buffers.queue());
    }

    @Override
    void checkBuffer(CompletionView message) {
        buffers.take(message);
    }

    /** What the stream did not need stays there for the others. */
    @Override
    public void assertEnded(int count, CloseReason reason) {
        super.assertEnded(count, reason);
        assertThat(buffers.queue().available()).isEqualTo(buffers.left());
    }

    @Override
    public void close() {
        // The buffers are let go of when both ends are closed.
    }
}
