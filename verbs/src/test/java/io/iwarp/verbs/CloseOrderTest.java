package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionClosedException;
import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A close comes after everything that was posted before it, whichever thread posted. */
class CloseOrderTest {
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final List<Long> received = new ArrayList<>();
    private final SimulatedPair pair = new SimulatedPair(
            domain,
            QueuePairSettings.DEFAULT,
            QueuePairSettings.builder().managedReceiveBytes(8).build(),
            qp -> {},
            qp -> qp.setCompletionListener((same, completion) -> received.add(completion.bytes())));
    private final QueuePair queuePair = pair.initiator.queuePair();

    @AfterEach
    void release() {
        pair.close();
        domain.close();
    }

    /** Another thread has claimed a slot, and is slow to publish it. */
    @Test
    void closeWaitsForASlotThatAnotherThreadHasClaimed() {
        WorkRequest slow = queuePair.engine().requests().claim(0, PostOptions.NONE, (completion, place) -> {});
        CompletableFuture<Completion> sent = queuePair.send(Unpooled.EMPTY_BUFFER);

        queuePair.close();
        pair.run();

        assertThat(queuePair.state()).isEqualTo(ConnectionState.DRAINING);
        assertThat(sent).isNotDone();
        queuePair.setCompletionListener((same, completion) -> {});
        assertThatThrownBy(() -> queuePair.sendQueue().send(1, Unpooled.EMPTY_BUFFER, PostOptions.NONE))
                .isInstanceOf(ConnectionClosedException.class);
        CompletableFuture<Completion> slowlySent = new CompletableFuture<>();
        slow.send(false);
        queuePair
                .engine()
                .requests()
                .publish(
                        slow,
                        1,
                        Operation.SEND,
                        PostOptions.NONE,
                        (completion, place) -> slowlySent.complete(completion.copy()));
        pair.run();
        assertThat(slowlySent).isCompletedWithValueMatching(Completion::successful);
        assertThat(sent).isCompleted();
        assertThat(queuePair.closed())
                .isCompletedWithValueMatching(reason -> reason.endedBy() == EndedBy.LOCAL_APPLICATION);
    }

    /** Nothing can be sent any more, so the close need not wait. */
    @Test
    void aSlotThatIsPublishedAfterTheEndIsFlushed() {
        WorkRequest slow = queuePair.engine().requests().claim(0, PostOptions.NONE, (completion, place) -> {});
        queuePair.close();
        pair.run();
        pair.responder.queuePair().abort();
        pair.run();
        assertThat(queuePair.closed()).isDone();
        List<Completion> flushed = new ArrayList<>();
        slow.send(false);
        queuePair
                .engine()
                .requests()
                .publish(
                        slow,
                        1,
                        Operation.SEND,
                        PostOptions.NONE,
                        (completion, place) -> flushed.add(completion.copy()));
        pair.run();
        assertThat(flushed).hasSize(1).noneMatch(Completion::successful);
    }
}
