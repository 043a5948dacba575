package io.iwarp.metrics;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.metrics.EventLoopTotals.Total;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The reports of one connection. Any thread may call {@link #refused} and {@link #timesRequest}. Only the event loop of the
 * connection calls the other methods. Only {@link #closed} locks.
 */
@API(status = API.Status.INTERNAL)
public final class ConnectionMetrics {
    /**
     * The current state and numbers of a connection.
     *
     * @param state the state of the connection
     * @param sendRequests posted requests that have not completed, not counting receives
     * @param queuedSendRequests how many of {@code sendRequests} have not started
     * @param sendQueueDepth the capacity of the send queue
     * @param receiveRequests posted receives whose completions were not polled; of managed and shared receives, those that
     *     messages hold
     * @param receiveQueueDepth the capacity of the receive queue
     */
    public record Gauges(
            ConnectionState state,
            int sendRequests,
            int queuedSendRequests,
            int sendQueueDepth,
            int receiveRequests,
            int receiveQueueDepth) {}

    private final IwarpMetrics metrics;
    final Role role;
    final Counters counters;
    private final Supplier<Gauges> gauges;
    final Object eventLoop;
    private final EventLoopTotals operations;
    private @Nullable SetupOutcome outcome;

    ConnectionMetrics(
            IwarpMetrics metrics,
            Role role,
            Counters counters,
            Supplier<Gauges> gauges,
            Object eventLoop,
            EventLoopTotals operations) {
        this.metrics = metrics;
        this.role = role;
        this.counters = counters;
        this.gauges = gauges;
        this.eventLoop = eventLoop;
        this.operations = operations;
    }

    Gauges gauges() {
        return gauges.get();
    }

    /**
     * Returns whether to time a request, by the {@link LatencySampling} of the {@link IwarpMetrics}.
     *
     * @param position the sequence number of the request on its connection
     */
    public boolean timesRequest(long position) {
        return metrics.latencySampling().includes(position);
    }

    /** The set-up succeeded. */
    public void established() {
        setUp(SetupOutcome.ACCEPTED);
    }

    /** The application of the responder rejected the connection. */
    public void rejected() {
        setUp(SetupOutcome.REJECTED);
    }

    private void setUp(SetupOutcome result) {
        outcome = result;
        metrics.count(role, result);
    }

    /** The connection ended, or its set-up failed. Call it once. */
    public void ended(CloseReason reason) {
        if (outcome == SetupOutcome.ACCEPTED) {
            metrics.count(reason.endedBy());
        } else if (outcome == null) {
            SetupFailure failure = SetupFailure.of(reason);
            setUp(failure == SetupFailure.TIMED_OUT ? SetupOutcome.TIMED_OUT : SetupOutcome.FAILED);
            metrics.count(role, failure);
        }
    }

    /** Bytes of a request were handed to RDMAP; {@link #released} follows. */
    public void submitted(Operation operation, long bytes) {
        operations.add(operation, Total.OUTSTANDING_BYTES, bytes);
    }

    /** A request that was {@link #submitted} with this many bytes completed. */
    public void released(Operation operation, long bytes) {
        operations.add(operation, Total.OUTSTANDING_BYTES, -bytes);
    }

    /** A request of this side completed with success, and moved this many bytes. */
    public void completed(Operation operation, long bytes) {
        operations.add(operation, Total.COMPLETED, 1);
        operations.add(operation, Total.COMPLETED_BYTES, bytes);
    }

    /** A request of this side was flushed because its stream ended. */
    public void flushed(Operation operation) {
        operations.add(operation, Total.FLUSHED, 1);
    }

    /** A request of this side took this long from post to completion. */
    public void took(Operation operation, long nanos) {
        operations.add(operation, Total.TIMED, 1);
        operations.add(operation, Total.TIMED_NANOS, nanos);
        metrics.took(operation, nanos);
    }

    /** An operation of the peer was executed here. */
    public void served(Operation operation, long bytes) {
        operations.add(operation, Total.SERVED, 1);
        operations.add(operation, Total.SERVED_BYTES, bytes);
    }

    /** A Terminate was sent or received; null for an error that no RFC assigns. */
    public void terminate(boolean sent, @Nullable ProtocolError error) {
        metrics.count(sent ? Counter.TERMINATES_SENT : Counter.TERMINATES_RECEIVED, error);
    }

    /** A post was refused because of a limit. */
    public void refused(QueueLimit limit) {
        metrics.count(limit);
    }

    /** The channel is closed, and nothing more will be counted. The totals stay in the sums. */
    public void closed() {
        metrics.remove(this);
    }
}
