package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Posts whose completions go to a listener of their own. */
class OwnListenerTest {
    private static final ByteBuf MESSAGE = Unpooled.EMPTY_BUFFER;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final QueuePairSettings settings =
            QueuePairSettings.builder().sendQueueDepth(3).build();
    private final List<String> reported = new ArrayList<>();
    private final SimulatedPair pair =
            new SimulatedPair(domain, settings, qp -> qp.setCompletionListener((same, received) -> {}));
    private final QueuePair sender = pair.initiator.queuePair();
    private final SendQueue first = sender.sendQueueFor(listener("first"));
    private final SendQueue second = sender.sendQueueFor(listener("second"));

    @AfterEach
    void close() {
        pair.close();
        domain.close();
    }

    private CompletionListener listener(String name) {
        return (queuePair, completion) -> {
            assertThat(queuePair).isSameAs(sender);
            reported.add(name + ' ' + completion.workRequestId() + (completion.successful() ? "" : " flushed"));
        };
    }

    private void receiveAll() {
        for (int i = 0; i < 6; i++) {
            pair.responder.queuePair().receiveQueue().receive(i, MESSAGE);
        }
    }

    @Test
    void eachListenerIsToldOfItsOwnPostsInTheOrderOfAllPosts() {
        receiveAll();
        assertThatIllegalStateException().isThrownBy(() -> sender.sendQueue().send(0, MESSAGE));
        first.send(1, MESSAGE);
        second.send(2, MESSAGE);
        first.send(3, MESSAGE);
        pair.run();
        assertThat(reported).containsExactly("first 1", "second 2", "first 3");

        reported.clear();
        sender.setCompletionListener(listener("queue pair"));
        second.send(4, MESSAGE);
        sender.sendQueue().send(5, MESSAGE);
        first.send(6, MESSAGE);
        pair.run();
        assertThat(reported).containsExactly("second 4", "queue pair 5", "first 6");
    }

    @Test
    void theEndFlushesThemToTheirListeners() {
        first.send(1, MESSAGE);
        second.send(2, MESSAGE);
        sender.abort();
        pair.run();

        assertThat(reported).containsExactly("first 1 flushed", "second 2 flushed");
    }

    @Test
    void aListenerPostsAgainAtFullDepth() {
        receiveAll();
        SendQueue[] again = new SendQueue[1];
        again[0] = sender.sendQueueFor((queuePair, completion) -> {
            reported.add("again " + completion.workRequestId());
            if (completion.workRequestId() < 3) {
                again[0].send(completion.workRequestId() + 3, MESSAGE);
            }
        });
        for (int i = 0; i < 3; i++) {
            again[0].send(i, MESSAGE);
        }
        pair.run();

        assertThat(reported).containsExactly("again 0", "again 1", "again 2", "again 3", "again 4", "again 5");
    }

    @Test
    void theyGoPastTheCompletionQueue() {
        try (CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(settings, 1));
                SimulatedPair other =
                        new SimulatedPair(domain, settings, settings, qp -> qp.setCompletionQueue(queue), qp -> {})) {
            QueuePair polled = other.initiator.queuePair();
            polled.sendQueue().send(1, MESSAGE);
            polled.sendQueueFor((same, completion) -> reported.add("own " + completion.workRequestId()))
                    .send(2, MESSAGE);
            polled.abort();
            other.run();

            assertThat(reported).containsExactly("own 2");
            int taken = queue.poll((same, completion) -> reported.add("polled " + completion.workRequestId()), 9);
            assertThat(taken).isOne();
            assertThat(reported).containsExactly("own 2", "polled 1");
        }
    }
}
