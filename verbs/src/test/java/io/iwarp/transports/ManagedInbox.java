package io.iwarp.transports;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.verbs.Completion;
import io.iwarp.verbs.CompletionView;
import io.iwarp.verbs.QueuePair;
import java.util.Objects;

/** Messages for which the queue pair takes buffers from the channel's allocator, which then are the application's. */
final class ManagedInbox extends Arrivals {
    @Override
    void enter(QueuePair queuePair) {
        // The settings say it all.
    }

    @Override
    void checkBuffer(CompletionView message) {
        if (message.hasImmediate()) {
            assertThat(message.buffer()).isNull();
        } else {
            assertThat(message.buffer().capacity()).isEqualTo((int) message.bytes());
        }
    }

    @Override
    public void close() {
        assertThat(reported().stream().map(Completion::buffer).filter(Objects::nonNull))
                .allMatch(buffer -> buffer.capacity() == 0 || buffer.release());
    }
}
