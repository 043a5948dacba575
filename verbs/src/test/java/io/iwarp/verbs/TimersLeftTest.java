package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Segment;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A timer that outlives its connection keeps the queue pair and its memory for as long as it runs, and with many short
 * connections there are many. So each is cancelled when its connection ends, however it ends.
 */
class TimersLeftTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final ProtectionDomain domain = ProtectionDomain.create();

    @AfterEach
    void release() {
        domain.close();
    }

    /** With one kind of end after the other: this side's, at once and in order, and the peer's. */
    private void assertNoTimerOutlives(QueuePairSettings settings, Consumer<SimulatedPeer> underWay) {
        for (Consumer<SimulatedPeer> ending : endings()) {
            try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, settings, qp -> {})) {
                underWay.accept(peer);
                assertThat(timersLeft(peer)).as("the timer runs").isTrue();
                ending.accept(peer);
                assertThat(peer.end.isOpen()).isFalse();
                assertThat(timersLeft(peer)).as("a timer is left").isFalse();
            }
        }
    }

    private static Iterable<Consumer<SimulatedPeer>> endings() {
        return Arrays.asList(
                peer -> {
                    peer.queuePair().abort();
                    peer.end.runTasks();
                },
                // As the transport does; EmbeddedChannel.close() cancels all timers by itself.
                peer -> peer.end.pipeline().close());
    }

    private static boolean timersLeft(SimulatedPeer peer) {
        return peer.end.runScheduledPendingTasks() >= 0;
    }

    @Test
    void theIdleTimer() {
        assertNoTimerOutlives(QueuePairSettings.builder().idleTimeout(LONG).build(), peer -> {});
    }

    @Test
    void theTimerOfKeepAlive() {
        assertNoTimerOutlives(
                QueuePairSettings.builder().keepAliveInterval(LONG).build(), peer -> {});
    }

    @Test
    void theDelayOfTheFirstFpdu() {
        MpaSettings delayed =
                MpaSettings.builder().firstFpduDelay(Duration.ofSeconds(1)).build();
        assertNoTimerOutlives(QueuePairSettings.builder().mpa(delayed).build(), peer -> {});
    }

    @Test
    void theTimeForTheRestOfAMessage() {
        assertNoTimerOutlives(
                QueuePairSettings.builder().managedReceiveBytes(2).build(),
                peer -> peer.sends(Segment.send(1, new byte[1]).last(false)));
    }

    @Test
    void theTimeForTheRestOfAnFpdu() {
        assertNoTimerOutlives(QueuePairSettings.DEFAULT, peer -> peer.sends(new byte[] {0, 42}));
    }

    @Test
    void theTimeForAResponse() {
        assertNoTimerOutlives(QueuePairSettings.DEFAULT, peer -> {
            peer.queuePair().fetchAdd(new RemoteBuffer(1, 0, 8), 1);
            peer.hears();
        });
    }

    @Test
    void theTimeThatAMessageWaitsForAReceive() {
        assertNoTimerOutlives(
                QueuePairSettings.builder().receiveTimeout(LONG).build(),
                peer -> peer.sends(Segment.send(1, new byte[1])));
    }

    @Test
    void theTimeForAnOrderlyClose() {
        assertNoTimerOutlives(QueuePairSettings.DEFAULT, peer -> {
            peer.queuePair().close();
            peer.end.runTasks();
            assertThat(peer.end.isOutputShutdown()).isTrue();
        });
    }

    @Test
    void theTimeForAnOrderlyCloseThatBothSidesCarryOut() {
        try (SimulatedPeer peer = SimulatedPeer.ofInitiator(domain, QueuePairSettings.DEFAULT, qp -> {})) {
            peer.queuePair().close();
            peer.end.runTasks();
            peer.end.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            assertThat(peer.end.isOpen()).isFalse();
            assertThat(timersLeft(peer)).isFalse();
        }
    }
}
