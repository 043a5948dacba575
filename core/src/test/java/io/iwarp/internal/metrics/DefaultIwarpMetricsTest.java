package io.iwarp.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.metrics.LatencySampling;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.metrics.SetupFailure;
import io.iwarp.metrics.SetupOutcome;
import io.iwarp.testing.LogCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DefaultIwarpMetricsTest {
    private static final Object LOOP = new Object();
    private static final Object OTHER_LOOP = new Object();

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.metrics");

    private final DefaultIwarpMetrics metrics = new DefaultIwarpMetrics(IwarpDevice.create(), LatencySampling.DEFAULT);

    /** A connection that holds still. */
    private static final class StillConnection {
        private final ConnectionCounters counters = new ConnectionCounters();
        private ConnectionState state = ConnectionState.INIT;
    }

    private DefaultIwarpMetrics.Connection addConnection(StillConnection connection, Object loop) {
        return addConnection(Role.INITIATOR, connection, loop);
    }

    private DefaultIwarpMetrics.Connection addConnection(Role role, StillConnection connection, Object loop) {
        return metrics.addConnection(
                role,
                connection.counters,
                () -> new DefaultIwarpMetrics.Gauges(connection.state, 5, 2, 8, 3, 16),
                loop);
    }

    /** Otherwise the completion that it times would be lost. */
    @Test
    void failingRegistryIsRemoved() {
        AtomicInteger calls = new AtomicInteger();
        List<Long> others = new ArrayList<>();
        metrics.addLatencyRecorder((operation, nanos) -> {
            calls.incrementAndGet();
            throw new AssertionError("made");
        });
        metrics.addLatencyRecorder((operation, nanos) -> others.add(nanos));
        DefaultIwarpMetrics.Connection connection = addConnection(new StillConnection(), LOOP);
        connection.onLatency(Operation.SEND, 1);
        connection.onLatency(Operation.SEND, 2);
        assertThat(calls).hasValue(1);
        assertThat(others).containsExactly(1L, 2L);
        assertThat(log.events()).hasSize(1);
    }

    @Test
    void openConnectionsAreCountedByRoleAndState() {
        StillConnection one = new StillConnection();
        StillConnection two = new StillConnection();
        DefaultIwarpMetrics.Connection first = addConnection(one, LOOP);
        addConnection(Role.RESPONDER, two, LOOP);
        two.state = ConnectionState.READY;

        assertThat(metrics.connections(Role.INITIATOR, ConnectionState.INIT)).isOne();
        assertThat(metrics.connections(Role.RESPONDER, ConnectionState.INIT)).isZero();
        assertThat(metrics.connections(Role.RESPONDER, ConnectionState.READY)).isOne();

        first.onClosed();

        assertThat(metrics.connections(Role.INITIATOR, ConnectionState.INIT)).isZero();
    }

    @Test
    void closedConnectionsStayInTheSums() {
        StillConnection one = new StillConnection();
        StillConnection two = new StillConnection();
        DefaultIwarpMetrics.Connection first = addConnection(one, LOOP);
        DefaultIwarpMetrics.Connection second = addConnection(two, LOOP);
        DefaultIwarpMetrics.Connection third = addConnection(new StillConnection(), OTHER_LOOP);
        one.counters.add(Counter.FPDUS_SENT, 7);
        two.counters.add(Counter.FPDUS_SENT, 5);
        first.onCompleted(Operation.WRITE, 100);
        second.onCompleted(Operation.WRITE, 20);
        third.onCompleted(Operation.WRITE, 3);

        for (DefaultIwarpMetrics.Connection connection : new DefaultIwarpMetrics.Connection[] {first, second, third}) {
            assertThat(metrics.counter(Counter.FPDUS_SENT)).isEqualTo(12);
            assertThat(metrics.completedOperations(Operation.WRITE)).isEqualTo(3);
            assertThat(metrics.completedBytes(Operation.WRITE)).isEqualTo(123);
            connection.onClosed();
            connection.onClosed();
        }

        assertThat(metrics.counter(Counter.FPDUS_SENT)).isEqualTo(12);
        assertThat(metrics.completedOperations(Operation.WRITE)).isEqualTo(3);
        assertThat(metrics.sendRequests()).isZero();
    }

    @Test
    void eachKindOfOperationIsCountedByItself() {
        DefaultIwarpMetrics.Connection connection = addConnection(new StillConnection(), LOOP);
        int factor = 1;
        for (Operation operation : EventLoopTotals.COUNTED) {
            for (int i = 0; i < factor; i++) {
                connection.onCompleted(operation, 10);
                connection.onServed(operation, 100);
                connection.onFlushed(operation);
            }
            factor++;
        }

        factor = 1;
        for (Operation operation : EventLoopTotals.COUNTED) {
            assertThat(metrics.completedOperations(operation)).isEqualTo(factor);
            assertThat(metrics.completedBytes(operation)).isEqualTo(10L * factor);
            assertThat(metrics.servedOperations(operation)).isEqualTo(factor);
            assertThat(metrics.servedBytes(operation)).isEqualTo(100L * factor);
            assertThat(metrics.flushedOperations(operation)).isEqualTo(factor);
            factor++;
        }
    }

    @Test
    void timesAreSummed() {
        DefaultIwarpMetrics.Connection connection = addConnection(new StillConnection(), LOOP);
        connection.onLatency(Operation.READ, 1000);
        connection.onLatency(Operation.READ, 24);

        assertThat(metrics.timedOperations(Operation.READ)).isEqualTo(2);
        assertThat(metrics.timedNanos(Operation.READ)).isEqualTo(1024);
        assertThat(metrics.timedOperations(Operation.SEND)).isZero();
    }

    @Test
    void outstandingBytesRiseAndFall() {
        DefaultIwarpMetrics.Connection connection = addConnection(new StillConnection(), LOOP);
        connection.onSubmitted(Operation.READ, 1000);
        connection.onSubmitted(Operation.SEND, 50);
        connection.onReleased(Operation.READ, 1000);

        assertThat(metrics.outstandingBytes()).isEqualTo(50);

        connection.onReleased(Operation.SEND, 50);
        connection.onClosed();

        assertThat(metrics.outstandingBytes()).isZero();
    }

    @Test
    void queuesAreSummed() {
        addConnection(new StillConnection(), LOOP);
        addConnection(new StillConnection(), OTHER_LOOP);

        assertThat(metrics.sendRequests()).isEqualTo(10);
        assertThat(metrics.queuedSendRequests()).isEqualTo(4);
        assertThat(metrics.sendQueueDepth()).isEqualTo(16);
        assertThat(metrics.receiveRequests()).isEqualTo(6);
        assertThat(metrics.receiveQueueDepth()).isEqualTo(32);
    }

    @Test
    void readsThatWaitForAResponseAreTheDifferenceOfTwoCounters() {
        StillConnection one = new StillConnection();
        addConnection(one, LOOP);
        one.counters.add(Counter.READS_REQUESTED, 9);
        one.counters.add(Counter.READS_COMPLETED, 7);
        one.counters.add(Counter.PEER_READS_ACCEPTED, 5);
        one.counters.add(Counter.PEER_READS_COMPLETED, 4);

        assertThat(metrics.outstandingReads()).isEqualTo(2);
        assertThat(metrics.outstandingPeerReads()).isOne();
    }

    private static CloseReason reason(EndedBy endedBy) {
        return new CloseReason(endedBy, null, "", null);
    }

    @Test
    void setUpsCountByOutcomeConnectionsByEnd() {
        DefaultIwarpMetrics.Connection established = addConnection(new StillConnection(), LOOP);
        established.onEstablished();
        established.onEnded(reason(EndedBy.PEER_CLOSED));
        DefaultIwarpMetrics.Connection rejected = addConnection(new StillConnection(), LOOP);
        rejected.onRejected();
        rejected.onEnded(reason(EndedBy.LOCAL_APPLICATION));
        addConnection(new StillConnection(), LOOP).onEnded(reason(EndedBy.TIMEOUT));
        addConnection(new StillConnection(), LOOP).onEnded(reason(EndedBy.LOCAL_FAULT));
        metrics.onSetupRefused(Role.RESPONDER);

        for (SetupOutcome outcome : SetupOutcome.values()) {
            assertThat(metrics.setups(Role.INITIATOR, outcome))
                    .as("%s", outcome)
                    .isEqualTo(outcome == SetupOutcome.OVERLOADED ? 0 : 1);
            assertThat(metrics.setups(Role.RESPONDER, outcome))
                    .as("%s", outcome)
                    .isEqualTo(outcome == SetupOutcome.OVERLOADED ? 1 : 0);
        }
        for (SetupFailure failure : SetupFailure.values()) {
            boolean failed = failure == SetupFailure.TIMED_OUT || failure == SetupFailure.MALFORMED;
            assertThat(metrics.setupFailures(Role.INITIATOR, failure))
                    .as("%s", failure)
                    .isEqualTo(failed ? 1 : 0);
        }
        for (EndedBy endedBy : EndedBy.values()) {
            assertThat(metrics.endedConnections(endedBy))
                    .as("%s", endedBy)
                    .isEqualTo(endedBy == EndedBy.PEER_CLOSED ? 1 : 0);
        }
    }

    @Test
    void terminatesAndRefusalsAreCounted() {
        DefaultIwarpMetrics.Connection connection = addConnection(new StillConnection(), LOOP);
        connection.onTerminate(true, ProtocolError.MPA_CRC_MISMATCH);
        connection.onTerminate(true, null);
        connection.onTerminate(true, null);
        connection.onTerminate(false, ProtocolError.RDMAP_INVALID_STAG);
        connection.onRefused(QueueLimit.SEND);
        connection.onRefused(QueueLimit.SEND);
        connection.onRefused(QueueLimit.RECEIVE);

        assertThat(metrics.terminatesSent(ProtocolError.MPA_CRC_MISMATCH)).isOne();
        assertThat(metrics.terminatesSent(null)).isEqualTo(2);
        assertThat(metrics.terminatesSent(ProtocolError.RDMAP_INVALID_STAG)).isZero();
        assertThat(metrics.terminatesReceived(ProtocolError.RDMAP_INVALID_STAG)).isOne();
        assertThat(metrics.refusals(QueueLimit.SEND)).isEqualTo(2);
        assertThat(metrics.refusals(QueueLimit.RECEIVE)).isOne();
        assertThat(metrics.refusals(QueueLimit.BYTES)).isZero();
    }
}
