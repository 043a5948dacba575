package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ConnectionState;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gets a receive of a shared queue, where event loops take their turns when the test says so. */
class SharedReceiveFairnessTest {
    private static final Duration WAIT = Duration.ofMillis(200);
    private static final QueuePairSettings PATIENT =
            QueuePairSettings.builder().receiveTimeout(WAIT).build();

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final SharedReceiveQueue receives = SharedReceiveQueue.create(8, 1);
    private final List<SimulatedPair> pairs = new ArrayList<>();
    private final Map<QueuePair, Integer> received = new HashMap<>();

    @AfterEach
    void close() {
        pairs.forEach(SimulatedPair::close);
        receives.close();
        domain.close();
    }

    private SimulatedPair connect() {
        SimulatedPair pair = new SimulatedPair(
                domain,
                QueuePairSettings.DEFAULT,
                PATIENT,
                qp -> {},
                qp -> qp.setSharedReceiveQueue(receives).setCompletionListener((taker, completion) -> {
                    if (completion.successful()) {
                        received.merge(taker, 1, Integer::sum);
                    }
                }));
        pairs.add(pair);
        return pair;
    }

    private void post() {
        receives.receive(0);
    }

    /** The message waits for a receive at the end of this. */
    private static void send(SimulatedPair pair, int messages) {
        for (int i = 0; i < messages; i++) {
            pair.initiator.queuePair().send(Unpooled.EMPTY_BUFFER);
        }
        pair.run();
    }

    private int received(SimulatedPair pair) {
        return received.getOrDefault(pair.responder.queuePair(), 0);
    }

    @Test
    @Requirement("SEC-18")
    void aStreamOnASlowLoopGetsAReceiveInEachOfItsTurns() {
        int turns = 20;
        int fastTurns = 8;
        SimulatedPair[] fast = {connect(), connect()};
        SimulatedPair[] slow = {connect(), connect()};
        for (SimulatedPair pair : pairs) {
            send(pair, 100);
        }
        for (int turn = 1; turn <= turns; turn++) {
            for (int i = 0; i < fastTurns; i++) {
                post();
                for (SimulatedPair pair : fast) {
                    pair.advance(WAIT.dividedBy(2L * fastTurns));
                }
            }
            for (SimulatedPair pair : slow) {
                pair.advance(WAIT.dividedBy(2));
                assertThat(received(pair)).isGreaterThanOrEqualTo(turn);
            }
        }
        assertThat(pairs).allMatch(pair -> pair.responder.queuePair().state() == ConnectionState.READY);
        assertThat(received(fast[0])).isGreaterThan(turns);
    }

    @Test
    void aReceiveWaitsForTheStreamThatWaitedLongest() {
        SimulatedPair first = connect();
        SimulatedPair second = connect();
        send(first, 1);
        send(second, 1);
        post();

        second.run();
        assertThat(received).isEmpty();
        assertThat(receives.available()).isZero();

        first.run();
        assertThat(received(first)).isOne();
        post();
        second.run();
        assertThat(received(second)).isOne();
    }

    @Test
    void aReceiveThatWasHandedToAStreamWhichEndsGoesToTheNext() {
        SimulatedPair ends = connect();
        SimulatedPair next = connect();
        send(ends, 1);
        send(next, 1);
        ends.responder.queuePair().abort();
        post();
        next.run();
        assertThat(received).isEmpty();

        ends.run();
        next.run();

        assertThat(received(next)).isOne();
        assertThat(receives.available()).isZero();
    }

    @Test
    void unusedSharedReceiveSurvivesTheStream() {
        SimulatedPair ends = connect();
        send(ends, 1);
        ends.responder.queuePair().abort();
        post();
        assertThat(receives.available()).isZero();

        ends.run();

        assertThat(received).isEmpty();
        assertThat(receives.available()).isOne();
    }

    @Test
    void aStreamAtItsShareIsServedWhenItIsPolledAndHoldsNoStreamUp() {
        CompletionQueue completions = CompletionQueue.create(1_000);
        SimulatedPair greedy = new SimulatedPair(
                domain,
                QueuePairSettings.DEFAULT,
                PATIENT,
                qp -> {},
                qp -> qp.setSharedReceiveQueue(receives).setCompletionQueue(completions));
        pairs.add(greedy);
        SimulatedPair other = connect();
        post();
        send(greedy, 2);
        send(other, 1);
        assertThat(completions.size()).isOne();

        post();
        other.run();
        assertThat(received(other)).as("the first below its share").isOne();
        post();
        assertThat(receives.available()).as("no stream below its share waits").isOne();

        assertThat(completions.poll((qp, completion) -> {}, 8)).isOne();
        assertThat(receives.available()).as("handed over").isZero();
        greedy.run();
        assertThat(completions.poll((qp, completion) -> {}, 8)).isOne();
        greedy.responder.queuePair().abort();
        greedy.run();
        assertThat(completions.poll((qp, completion) -> {}, 8)).isZero();
        assertThat(completions.reserved()).isZero();
    }
}
