package io.iwarp.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.testing.LogCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IwarpMetricsTest {
    private static final Object LOOP = new Object();
    private static final Object OTHER_LOOP = new Object();

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.metrics");

    private final IwarpMetrics metrics = new IwarpMetrics(IwarpDevice.create(), 4);

    /** A connection that holds still. */
    private static final class StillConnection implements ConnectionGauges {
        private final Counters counters = new Counters();
        private ConnectionState state = ConnectionState.INIT;

        @Override
        public ConnectionState connectionState() {
            return state;
        }

        @Override
        public Counters counters() {
            return counters;
        }

        @Override
        public int sendRequests() {
            return 5;
        }

        @Override
        public int queuedSendRequests() {
            return 2;
        }

        @Override
        public int sendQueueDepth() {
            return 8;
        }

        @Override
        public int receiveRequests() {
            return 3;
        }

        @Override
        public int receiveQueueDepth() {
            return 16;
        }
    }

    private ConnectionMetrics enter(ConnectionGauges gauges, Object loop) {
        return metrics.enter(Role.INITIATOR, gauges, loop);
    }

    /** Otherwise the completion that it times would be lost. */
    @Test
    void aRegistryThatFailsIsNotAskedAgain() {
        AtomicInteger calls = new AtomicInteger();
        List<Long> others = new ArrayList<>();
        metrics.addLatencyRecorder((operation, nanos) -> {
            calls.incrementAndGet();
            throw new AssertionError("made");
        });
        metrics.addLatencyRecorder((operation, nanos) -> others.add(nanos));
        ConnectionMetrics connection = enter(new StillConnection(), LOOP);
        connection.took(Operation.SEND, 1);
        connection.took(Operation.SEND, 2);
        assertThat(calls).hasValue(1);
        assertThat(others).containsExactly(1L, 2L);
        assertThat(log.events()).hasSize(1);
    }

    @Test
    void openConnectionsAreCountedByRoleAndState() {
        StillConnection one = new StillConnection();
        StillConnection two = new StillConnection();
        ConnectionMetrics first = enter(one, LOOP);
        metrics.enter(Role.RESPONDER, two, LOOP);
        two.state = ConnectionState.READY;

        assertThat(metrics.connections(Role.INITIATOR, ConnectionState.INIT)).isOne();
        assertThat(metrics.connections(Role.RESPONDER, ConnectionState.INIT)).isZero();
        assertThat(metrics.connections(Role.RESPONDER, ConnectionState.READY)).isOne();

        first.closed();

        assertThat(metrics.connections(Role.INITIATOR, ConnectionState.INIT)).isZero();
    }

    @Test
    void whatConnectionsCountedStaysInTheSumsWhenTheyHaveClosed() {
        StillConnection one = new StillConnection();
        StillConnection two = new StillConnection();
        ConnectionMetrics first = enter(one, LOOP);
        ConnectionMetrics second = enter(two, LOOP);
        ConnectionMetrics third = enter(new StillConnection(), OTHER_LOOP);
        one.counters.add(Counter.FPDUS_SENT, 7);
        two.counters.add(Counter.FPDUS_SENT, 5);
        first.completed(Operation.WRITE, 100);
        second.completed(Operation.WRITE, 20);
        third.completed(Operation.WRITE, 3);

        for (ConnectionMetrics connection : new ConnectionMetrics[] {first, second, third}) {
            assertThat(metrics.counter(Counter.FPDUS_SENT)).isEqualTo(12);
            assertThat(metrics.completed(Operation.WRITE)).isEqualTo(3);
            assertThat(metrics.completedBytes(Operation.WRITE)).isEqualTo(123);
            connection.closed();
            connection.closed();
        }

        assertThat(metrics.counter(Counter.FPDUS_SENT)).isEqualTo(12);
        assertThat(metrics.completed(Operation.WRITE)).isEqualTo(3);
        assertThat(metrics.sendRequests()).isZero();
    }

    @Test
    void eachKindOfOperationIsCountedByItself() {
        ConnectionMetrics connection = enter(new StillConnection(), LOOP);
        int factor = 1;
        for (Operation operation : OperationTotals.COUNTED) {
            for (int i = 0; i < factor; i++) {
                connection.completed(operation, 10);
                connection.served(operation, 100);
                connection.flushed(operation);
            }
            factor++;
        }

        factor = 1;
        for (Operation operation : OperationTotals.COUNTED) {
            assertThat(metrics.completed(operation)).isEqualTo(factor);
            assertThat(metrics.completedBytes(operation)).isEqualTo(10L * factor);
            assertThat(metrics.served(operation)).isEqualTo(factor);
            assertThat(metrics.servedBytes(operation)).isEqualTo(100L * factor);
            assertThat(metrics.flushed(operation)).isEqualTo(factor);
            factor++;
        }
    }

    @Test
    void timesAreSummed() {
        ConnectionMetrics connection = enter(new StillConnection(), LOOP);
        connection.took(Operation.READ, 1000);
        connection.took(Operation.READ, 24);

        assertThat(metrics.timed(Operation.READ)).isEqualTo(2);
        assertThat(metrics.timedNanos(Operation.READ)).isEqualTo(1024);
        assertThat(metrics.timed(Operation.SEND)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 8, 16})
    void eachKindOfRequestHasItsShareOfTheTimesWhereKindsAlternate(int kinds) {
        ConnectionMetrics connection = enter(new StillConnection(), LOOP);
        for (int kind = 0; kind < kinds; kind++) {
            int timed = 0;
            for (int round = 0; round < 4000; round++) {
                timed += connection.timesRequest((long) round * kinds + kind) ? 1 : 0;
            }
            assertThat(timed).as("kind %d of %d", kind, kinds).isBetween(950, 1050);
        }
    }

    @Test
    void oneInAsManyRequestsAsAskedForHasItsTimeTaken() {
        ConnectionMetrics connection = enter(new StillConnection(), LOOP);
        int timed = 0;
        for (int position = 0; position < 6400; position++) {
            timed += connection.timesRequest(position) ? 1 : 0;
        }

        assertThat(timed).isBetween(1590, 1610);
        assertThat(metrics.timedShare()).isEqualTo(4);
        assertThat(new IwarpMetrics(IwarpDevice.create()).timedShare()).isEqualTo(16);
        for (int wrong : new int[] {-1, 0, 3, 1 << 21}) {
            assertThatThrownBy(() -> new IwarpMetrics(IwarpDevice.create(), wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("timedShare " + wrong);
        }
    }

    @Test
    void outstandingBytesRiseAndFall() {
        ConnectionMetrics connection = enter(new StillConnection(), LOOP);
        connection.submitted(1000);
        connection.submitted(50);
        connection.released(1000);

        assertThat(metrics.outstandingBytes()).isEqualTo(50);

        connection.released(50);
        connection.closed();

        assertThat(metrics.outstandingBytes()).isZero();
    }

    @Test
    void queuesAreSummed() {
        enter(new StillConnection(), LOOP);
        enter(new StillConnection(), OTHER_LOOP);

        assertThat(metrics.sendRequests()).isEqualTo(10);
        assertThat(metrics.queuedSendRequests()).isEqualTo(4);
        assertThat(metrics.sendQueueDepth()).isEqualTo(16);
        assertThat(metrics.receiveRequests()).isEqualTo(6);
        assertThat(metrics.receiveQueueDepth()).isEqualTo(32);
    }

    @Test
    void readsThatWaitForAnAnswerAreTheDifferenceOfTwoCounters() {
        StillConnection one = new StillConnection();
        enter(one, LOOP);
        one.counters.add(Counter.READS_REQUESTED, 9);
        one.counters.add(Counter.READS_ANSWERED, 7);
        one.counters.add(Counter.PEER_READS_ACCEPTED, 5);
        one.counters.add(Counter.PEER_READS_ANSWERED, 4);

        assertThat(metrics.outstandingReads()).isEqualTo(2);
        assertThat(metrics.outstandingPeerReads()).isOne();
    }

    @Test
    void setupsEndsTerminatesAndRefusalsAreCounted() {
        ConnectionMetrics connection = enter(new StillConnection(), LOOP);
        connection.setUp(SetupOutcome.TIMED_OUT);
        connection.ended(EndedBy.PEER_CLOSED);
        connection.terminateSent(ProtocolError.MPA_CRC_MISMATCH);
        connection.terminateSent(null);
        connection.terminateSent(null);
        connection.terminateReceived(ProtocolError.RDMAP_INVALID_STAG);
        connection.refused(QueueLimit.SEND);
        connection.refused(QueueLimit.SEND);
        connection.refused(QueueLimit.RECEIVE);
        metrics.refuseSetup(Role.RESPONDER);

        assertThat(metrics.setups(Role.INITIATOR, SetupOutcome.TIMED_OUT)).isOne();
        assertThat(metrics.setups(Role.RESPONDER, SetupOutcome.TIMED_OUT)).isZero();
        assertThat(metrics.ended(EndedBy.PEER_CLOSED)).isOne();
        assertThat(metrics.ended(EndedBy.TIMEOUT)).isZero();
        assertThat(metrics.terminatesSent(ProtocolError.MPA_CRC_MISMATCH)).isOne();
        assertThat(metrics.terminatesSent(null)).isEqualTo(2);
        assertThat(metrics.terminatesSent(ProtocolError.RDMAP_INVALID_STAG)).isZero();
        assertThat(metrics.terminatesReceived(ProtocolError.RDMAP_INVALID_STAG)).isOne();
        assertThat(metrics.refusals(QueueLimit.SEND)).isEqualTo(2);
        assertThat(metrics.refusals(QueueLimit.RECEIVE)).isOne();
        assertThat(metrics.refusals(QueueLimit.BYTES)).isZero();
        assertThat(metrics.setups(Role.RESPONDER, SetupOutcome.REFUSED)).isOne();
    }
}
