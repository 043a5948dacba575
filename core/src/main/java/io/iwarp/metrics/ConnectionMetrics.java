package io.iwarp.metrics;

import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The reports of one connection. Any thread may call {@link #refused} and {@link #timesRequest}. Only the event loop of the
 * connection calls the other methods. Only {@link #closed} locks.
 */
@API(status = API.Status.INTERNAL)
public final class ConnectionMetrics {
    private final EventTotals events;
    private final Role role;
    private final ConnectionGauges gauges;
    private final Object eventLoop;
    private final OperationTotals operations;
    private final LatencyRecorder latency;
    /**
     * The golden ratio. The multiples of it are spread evenly, also those of every second or sixteenth position. So each kind of
     * request has its share where requests of several kinds follow each other in a fixed order.
     */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private final long timedMask;
    private final Consumer<ConnectionMetrics> leave;

    /**
     * @param timedShare of how many requests one has its time taken, a power of two
     * @param latency is told of each time taken, besides the operations
     * @param leave takes this out of the sums
     */
    ConnectionMetrics(
            EventTotals events,
            int timedShare,
            Role role,
            ConnectionGauges gauges,
            Object eventLoop,
            OperationTotals operations,
            LatencyRecorder latency,
            Consumer<ConnectionMetrics> leave) {
        this.events = events;
        this.role = role;
        this.gauges = gauges;
        this.eventLoop = eventLoop;
        this.operations = operations;
        this.latency = latency;
        this.timedMask = timedShare - 1L;
        this.leave = leave;
    }

    /**
     * Returns whether to time a request: one of as many as the {@code timedShare} of the {@link IwarpMetrics}.
     *
     * @param position the sequence number of the request on its connection
     */
    public boolean timesRequest(long position) {
        return (((position * SPREAD) >>> Integer.SIZE) & timedMask) == 0;
    }

    /** The set-up ended. Call either this or {@link #setUpFailed}, once. */
    public void setUp(SetupOutcome outcome) {
        events.countSetup(role, outcome);
    }

    /** The set-up failed. Call either this or {@link #setUp}, once. */
    public void setUpFailed(SetupFailure failure) {
        events.countSetup(role, failure == SetupFailure.TIMED_OUT ? SetupOutcome.TIMED_OUT : SetupOutcome.FAILED);
        events.countSetupFailure(role, failure);
    }

    /** Bytes of a request were handed to RDMAP; {@link #released} follows. */
    public void submitted(long bytes) {
        operations.outstanding(bytes);
    }

    /** A request that was {@link #submitted} with this many bytes completed. */
    public void released(long bytes) {
        operations.outstanding(-bytes);
    }

    /** A request of this side completed with success, and moved this many bytes. */
    public void completed(Operation operation, long bytes) {
        operations.completed(operation, bytes);
    }

    /** A request of this side was flushed because its stream ended. */
    public void flushed(Operation operation) {
        operations.flushed(operation);
    }

    /** A request of this side took this long from post to completion. */
    public void took(Operation operation, long nanos) {
        operations.took(operation, nanos);
        latency.took(operation, nanos);
    }

    /** An operation of the peer was executed here. */
    public void served(Operation operation, long bytes) {
        operations.served(operation, bytes);
    }

    /** A Terminate was sent; null for an error that no RFC assigns. */
    public void terminateSent(@Nullable ProtocolError error) {
        events.countTerminate(true, error);
    }

    /** A Terminate was received; null for an error that no RFC assigns. */
    public void terminateReceived(@Nullable ProtocolError error) {
        events.countTerminate(false, error);
    }

    /** A post was refused because of a limit. */
    public void refused(QueueLimit limit) {
        events.countRefusal(limit);
    }

    /** An established connection ended. Call it once. */
    public void ended(EndedBy endedBy) {
        events.countEnd(endedBy);
    }

    /** The channel is closed, and nothing more will be counted. The totals stay in the sums. Call it once. */
    public void closed() {
        leave.accept(this);
    }

    Role role() {
        return role;
    }

    ConnectionGauges gauges() {
        return gauges;
    }

    Object eventLoop() {
        return eventLoop;
    }
}
