package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.Role;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call with a wrong argument is refused and changes nothing. */
@SuppressWarnings("NullAway") // the mistake that is tried
class WrongArgumentTest {
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    private QueuePair queuePair() {
        return new QueuePair(channel, domain, QueuePairSettings.DEFAULT, Role.INITIATOR, null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMissingCompletionQueueReservesNothing(boolean first) {
        QueuePair queuePair = queuePair();
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(QueuePairSettings.DEFAULT, 1));
        assertThatThrownBy(() -> queuePair.completionQueues(first ? null : queue, first ? queue : null))
                .isInstanceOf(NullPointerException.class);
        assertThat(queue.reserved()).isZero();
        queuePair.completionQueue(queue);
        assertThat(queue.reserved()).isEqualTo(queue.capacity());
    }

    @Test
    void completionQueuesThatComeTooLateReserveNothing() {
        QueuePair queuePair = queuePair();
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(QueuePairSettings.DEFAULT, 1));
        queuePair.receive(Unpooled.EMPTY_BUFFER);
        assertThatThrownBy(() -> queuePair.completionQueue(queue)).isInstanceOf(IllegalStateException.class);
        assertThat(queue.reserved()).isZero();
        queue.close();
    }

    @Test
    void aMissingListenerIsRefusedAtTheCall() {
        QueuePair queuePair = queuePair();
        CompletionQueue queue = CompletionQueue.create(1);
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> queuePair.completionListener(null),
                () -> queuePair.newSendQueue(null),
                () -> queuePair.listener(null),
                () -> queue.listener(null),
                () -> IwarpChannelInitializer.responder(domain, null),
                () -> IwarpChannelInitializer.initiator(domain, QueuePairSettings.DEFAULT, new byte[0], null),
                () -> IwarpChannelInitializer.initiator(domain).withTransportHandlers(null))) {
            assertThatThrownBy(call).isInstanceOf(NullPointerException.class);
        }
    }

    @Test
    void aListenerBesideCompletionQueuesIsRefused() {
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(QueuePairSettings.DEFAULT, 1));
        QueuePair queuePair = queuePair().completionQueue(queue);
        assertThatThrownBy(() -> queuePair.completionListener((same, completion) -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has its completion queues already");
    }

    @Test
    void aPollWithoutAHandlerTakesNothing() {
        CompletionQueue queue = CompletionQueue.create(CompletionQueue.capacityFor(QueuePairSettings.DEFAULT, 1));
        QueuePair queuePair = queuePair().completionQueue(queue);
        queue.add((CompletionPort) queuePair.routes().forReceives(), new Completion());
        assertThatThrownBy(() -> queue.poll(null, 1)).isInstanceOf(NullPointerException.class);
        List<QueuePair> polled = new ArrayList<>();
        queue.poll((ofPair, completion) -> polled.add(ofPair), 1);
        assertThat(polled).containsExactly(queuePair);
    }

    /** For example because memory is short, or a registry of meters fails. */
    @Test
    void aQueuePairThatCannotBeMadeLeavesItsDomain() {
        EmbeddedChannel failing = new EmbeddedChannel() {
            @Override
            public ByteBufAllocator alloc() {
                throw new OutOfMemoryError("made");
            }
        };
        QueuePairSettings managed =
                QueuePairSettings.builder().managedReceiveBytes(8).build();
        assertThatThrownBy(() -> new QueuePair(failing, domain, managed, Role.RESPONDER, null))
                .isInstanceOf(OutOfMemoryError.class);
        domain.close();
    }
}
