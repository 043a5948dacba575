package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.iwarp.ConnectionState;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The messages that show a peer that this side is alive, under virtual time. */
class KeepAliveTest {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration IDLE_TIMEOUT = INTERVAL.multipliedBy(3);
    private static final QueuePairSettings ALIVE = QueuePairSettings.builder()
            .sendQueueDepth(1)
            .keepAliveInterval(INTERVAL)
            .build();
    private static final QueuePairSettings WATCHFUL =
            QueuePairSettings.builder().idleTimeout(IDLE_TIMEOUT).build();

    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void release() {
        domain.close();
    }

    private SimulatedPair connect(Consumer<QueuePair> prepare) {
        return new SimulatedPair(
                domain, ALIVE, WATCHFUL, prepare, qp -> qp.setCompletionListener((same, completion) -> {}));
    }

    private static void assertItLives(SimulatedPair pair) {
        for (int i = 0; i < 20; i++) {
            pair.advance(INTERVAL);
        }
        assertThat(pair.responder.queuePair().state()).isEqualTo(ConnectionState.READY);
        assertThat(pair.initiator.queuePair().state()).isEqualTo(ConnectionState.READY);
    }

    @Test
    void aSilentQueuePairIsKeptAlive() {
        try (SimulatedPair pair = connect(qp -> {})) {
            assertItLives(pair);
        }
    }

    @Test
    void aCompletionThatIsNotPolledDoesNotStopIt() {
        try (CompletionQueue completions = CompletionQueue.create(1_000);
                SimulatedPair pair = connect(qp -> qp.setCompletionQueue(completions))) {
            pair.responder.queuePair().receiveQueue().receive(1, Unpooled.EMPTY_BUFFER);
            pair.initiator.queuePair().sendQueue().send(1, Unpooled.EMPTY_BUFFER);
            pair.run();
            assertThat(completions.size()).isOne();

            assertItLives(pair);

            assertThat(completions.poll((qp, completion) -> {}, 8)).isOne();
        }
    }

    @Test
    void anOutstandingReadDoesNotStopIt() {
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, ALIVE, qp -> {})) {
            peer.queuePair().read(Unpooled.EMPTY_BUFFER, new RemoteBuffer(1, 0, 0));
            peer.hears();
            assertThat(peer.hearsNothing()).isTrue();
            peer.pass(INTERVAL);
            peer.pass(INTERVAL);
            assertThat(peer.hears()).as("an empty Write").hasSize(14);
        }
    }

    @Test
    void itNeedsNoPlaceInTheSendQueue() {
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, ALIVE, qp -> {})) {
            QueuePair queuePair = peer.queuePair();
            for (int i = 0; i < 3; i++) {
                peer.end.advanceTimeBy(INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
                peer.end.runScheduledPendingTasks();
                assertThat(queuePair.snapshot().sendRequests()).isZero();
                assertThatCode(() -> queuePair.send(Unpooled.EMPTY_BUFFER)).doesNotThrowAnyException();
                peer.end.runTasks();
            }
        }
    }

    @Test
    void completionQueuesMayStillBeSetAfterIt() {
        try (CompletionQueue completions = CompletionQueue.create(1_000);
                SimulatedPair pair = connect(qp -> {})) {
            assertItLives(pair);
            assertThatCode(() -> pair.initiator.queuePair().setCompletionQueue(completions))
                    .doesNotThrowAnyException();
        }
    }

    /** While nothing can be sent, one more message would not help. */
    @Test
    void aPeerThatTakesNothingMakesNoMessagesPileUp() {
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, ALIVE, qp -> {})) {
            peer.deaf(true);
            for (int i = 0; i < 5; i++) {
                peer.pass(INTERVAL);
            }
            peer.deaf(false);
            assertThat(peer.hears()).hasSize(14);
            assertThat(peer.hearsNothing()).isTrue();
            peer.pass(INTERVAL);
            peer.pass(INTERVAL);
            assertThat(peer.hears()).hasSize(14);
        }
    }
}
