package io.iwarp.metrics;

import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Where one connection reports what it does. Its event loop calls all methods but {@link #refused} and
 * {@link #timesRequest}, which any thread may call. None locks or allocates but {@link #closed}.
 */
@API(status = API.Status.INTERNAL)
public final class ConnectionMetrics {
    private final EventTotals events;
    private final Role role;
    private final ConnectionGauges gauges;
    private final Object eventLoop;
    private final OperationTotals operations;
    private final long timedMask;
    private final Consumer<ConnectionMetrics> leave;

    /**
     * @param timedShare of how many requests one has its time taken, a power of two
     * @param leave takes this out of the sums
     */
    ConnectionMetrics(
            EventTotals events,
            int timedShare,
            Role role,
            ConnectionGauges gauges,
            Object eventLoop,
            OperationTotals operations,
            Consumer<ConnectionMetrics> leave) {
        this.events = events;
        this.role = role;
        this.gauges = gauges;
        this.eventLoop = eventLoop;
        this.operations = operations;
        this.timedMask = timedShare - 1L;
        this.leave = leave;
    }

    /**
     * {@return whether the time of a request is to be taken: one of as many as the {@code timedShare} of the {@link IwarpMetrics} says}
     *
     * @param position the number of the request on its connection
     */
    public boolean timesRequest(long position) {
        return (position & timedMask) == 0;
    }

    /** The set-up is over. Call it once, or {@link #setUpFailed}. */
    public void setUp(SetupOutcome outcome) {
        events.countSetup(role, outcome);
    }

    /** The set-up came to nothing. Call it once, instead of {@link #setUp}. */
    public void setUpFailed(SetupFailure failure) {
        events.countSetup(role, failure == SetupFailure.TIMED_OUT ? SetupOutcome.TIMED_OUT : SetupOutcome.FAILED);
        events.countSetupFailure(role, failure);
    }

    /** Bytes of a request were handed to RDMAP; {@link #released} follows. */
    public void submitted(long bytes) {
        operations.outstanding(bytes);
    }

    /** The request that had been {@link #submitted} with that many bytes is complete. */
    public void released(long bytes) {
        operations.outstanding(-bytes);
    }

    /** A request of this side did what was asked, and moved that many bytes. */
    public void completed(Operation operation, long bytes) {
        operations.completed(operation, bytes);
    }

    /** A request of this side was flushed, as its stream ended. */
    public void flushed(Operation operation) {
        operations.flushed(operation);
    }

    /** A request of this side took so long from post to completion. */
    public void took(Operation operation, long nanos) {
        operations.took(operation, nanos);
    }

    /** An operation of the peer was carried out here. */
    public void served(Operation operation, long bytes) {
        operations.served(operation, bytes);
    }

    /** A Terminate went out; null is for an error that no RFC assigns. */
    public void terminateSent(@Nullable ProtocolError error) {
        events.countTerminate(true, error);
    }

    /** A Terminate came in; null is for one without an error that an RFC assigns. */
    public void terminateReceived(@Nullable ProtocolError error) {
        events.countTerminate(false, error);
    }

    /** A post was refused because of a limit. */
    public void refused(QueueLimit limit) {
        events.countRefusal(limit);
    }

    /** A connection that had come into being ended. Call it once. */
    public void ended(EndedBy endedBy) {
        events.countEnd(endedBy);
    }

    /** The channel is closed: nothing more will be counted. Its totals stay in the sums. Call it once. */
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
