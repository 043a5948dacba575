package io.iwarp.metrics;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.memory.IwarpDevice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sums over all queue pairs that have this object in their settings, and over the registered memory of one device.
 *
 * <p>Counting is cheap: each event loop writes its own numbers. The sums are computed when somebody reads them. The counts of
 * closed connections stay in the sums, so that a counter never decreases. Any thread may read. Readers take a lock, which
 * connections also take when they are opened and closed.
 *
 * <p>{@link IwarpMeters} registers the sums with Micrometer. Without Micrometer, use the methods of this class.
 */
public final class IwarpMetrics {
    private static final Logger LOGGER = LoggerFactory.getLogger(IwarpMetrics.class);

    /** By default one of this many requests is timed. */
    public static final int DEFAULT_TIMED_SHARE = 16;

    private static final int MAX_TIMED_SHARE = 1 << 20;

    private final IwarpDevice device;
    private final int timedShare;

    private final EventTotals events = new EventTotals();

    /** Replaced, never changed. */
    private volatile List<LatencyRecorder> latencyRecorders = List.of();

    /** Guards all below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<ConnectionMetrics> connections = new HashSet<>();
    private final Map<Object, EventLoopShare> eventLoops = new HashMap<>();
    private final OperationTotals closedOperations = new OperationTotals();
    private final long[] closedCounters = new long[Counter.values().length];

    /** The open connections of one event loop. */
    private static final class EventLoopShare {
        private final OperationTotals operations = new OperationTotals();
        private int connections;
    }

    /**
     * Creates metrics for queue pairs that get them by {@code QueuePairSettings.metrics}, and for the memory of a device.
     *
     * @param device the device whose registered memory is reported
     */
    public IwarpMetrics(IwarpDevice device) {
        this(device, DEFAULT_TIMED_SHARE);
    }

    /**
     * As {@link #IwarpMetrics(IwarpDevice)}.
     *
     * @param device the device whose registered memory is reported
     * @param timedShare one of this many requests is timed, which costs two reads of the clock: a power of two, 1 (all) to
     *     1,048,576
     * @throws IllegalArgumentException if {@code timedShare} is invalid
     */
    public IwarpMetrics(IwarpDevice device, int timedShare) {
        if (timedShare < 1 || timedShare > MAX_TIMED_SHARE || Integer.bitCount(timedShare) != 1) {
            throw new IllegalArgumentException(
                    "timedShare " + timedShare + " is not a power of two within 1 to " + MAX_TIMED_SHARE);
        }
        this.device = device;
        this.timedShare = timedShare;
    }

    /**
     * Adds a connection. The stack calls it. {@link ConnectionMetrics#closed} removes the connection.
     *
     * @param eventLoop the event loop of the connection, which identifies connections of the same thread
     */
    public ConnectionMetrics enter(Role role, ConnectionGauges gauges, Object eventLoop) {
        lock.lock();
        try {
            EventLoopShare share = eventLoops.computeIfAbsent(eventLoop, loop -> new EventLoopShare());
            share.connections++;
            ConnectionMetrics connection = new ConnectionMetrics(
                    events, timedShare, role, gauges, eventLoop, share.operations, this::took, this::remove);
            connections.add(connection);
            return connection;
        } finally {
            lock.unlock();
        }
    }

    private void took(Operation operation, long nanos) {
        List<LatencyRecorder> recorders = latencyRecorders;
        // By index: an iterator would be garbage.
        for (int i = 0; i < recorders.size(); i++) {
            LatencyRecorder recorder = recorders.get(i);
            try {
                recorder.took(operation, nanos);
            } catch (Throwable e) {
                removeLatencyRecorder(recorder);
                LOGGER.error("a meter registry threw an exception and gets no more latencies", e);
            }
        }
    }

    private void removeLatencyRecorder(LatencyRecorder failed) {
        lock.lock();
        try {
            latencyRecorders = latencyRecorders.stream()
                    .filter(recorder -> recorder != failed)
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /** From now on, tells this of the time of each request whose time is taken; once, if it is added twice. */
    void addLatencyRecorder(LatencyRecorder recorder) {
        lock.lock();
        try {
            if (!latencyRecorders.contains(recorder)) {
                List<LatencyRecorder> more = new ArrayList<>(latencyRecorders);
                more.add(recorder);
                latencyRecorders = List.copyOf(more);
            }
        } finally {
            lock.unlock();
        }
    }

    private void remove(ConnectionMetrics connection) {
        lock.lock();
        try {
            if (!connections.remove(connection)) {
                return;
            }
            for (Counter counter : Counter.values()) {
                closedCounters[slot(counter)] += connection.gauges().counters().get(counter);
            }
            EventLoopShare share = eventLoops.get(connection.eventLoop());
            if (share != null && --share.connections == 0) {
                eventLoops.remove(connection.eventLoop());
                closedOperations.addAll(share.operations);
            }
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("EnumOrdinal") // The index is used in memory only and never stored or sent.
    private static int slot(Counter counter) {
        return counter.ordinal();
    }

    /** Counts a connection that was refused before its set-up, because too many others were in set-up. */
    public void refuseSetup(Role role) {
        events.countSetup(role, SetupOutcome.REFUSED);
    }

    /** Returns of how many requests one is timed. */
    public int timedShare() {
        return timedShare;
    }

    /** Returns the device whose registered memory is reported. */
    public IwarpDevice device() {
        return device;
    }

    /** Returns the number of connections in a state. */
    public int connections(Role role, ConnectionState state) {
        return (int) sumConnections(c -> c.role() == role && c.gauges().connectionState() == state ? 1 : 0);
    }

    /** Returns the number of set-ups with an outcome. */
    public long setups(Role role, SetupOutcome outcome) {
        return events.setups(role, outcome);
    }

    /** Returns the number of set-ups that failed for a reason. */
    public long setupFailures(Role role, SetupFailure failure) {
        return events.setupFailures(role, failure);
    }

    /** Returns the number of established connections, by who ended them. */
    public long ended(EndedBy endedBy) {
        return events.ended(endedBy);
    }

    /** Returns the number of Terminates sent with an error; null for errors that no RFC assigns. */
    public long terminatesSent(@Nullable ProtocolError error) {
        return events.terminates(true, error);
    }

    /** Returns the number of Terminates received with an error; null for errors that no RFC assigns. */
    public long terminatesReceived(@Nullable ProtocolError error) {
        return events.terminates(false, error);
    }

    /** Returns the sum of a counter over all connections, open and closed. */
    public long counter(Counter counter) {
        lock.lock();
        try {
            long sum = closedCounters[slot(counter)];
            for (ConnectionMetrics connection : connections) {
                sum += connection.gauges().counters().get(counter);
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of requests of this side that completed with success. */
    public long completed(Operation operation) {
        return sumOperations(totals -> totals.completed(operation));
    }

    /** Returns the bytes that requests of this side moved. */
    public long completedBytes(Operation operation) {
        return sumOperations(totals -> totals.completedBytes(operation));
    }

    /** Returns the number of requests of this side that were flushed because their stream ended. */
    public long flushed(Operation operation) {
        return sumOperations(totals -> totals.flushedRequests(operation));
    }

    /** Returns the number of operations of peers that were executed here. */
    public long served(Operation operation) {
        return sumOperations(totals -> totals.served(operation));
    }

    /** Returns the bytes that operations of peers moved. */
    public long servedBytes(Operation operation) {
        return sumOperations(totals -> totals.servedBytes(operation));
    }

    /** Returns the number of timed requests. */
    public long timed(Operation operation) {
        return sumOperations(totals -> totals.timed(operation));
    }

    /** Returns the total duration of the {@link #timed} requests, in nanoseconds. */
    public long timedNanos(Operation operation) {
        return sumOperations(totals -> totals.timedNanos(operation));
    }

    /** {@return bytes of requests other than receives that an event loop has taken and that have not completed} */
    public long outstandingBytes() {
        return sumOperations(OperationTotals::outstandingBytes);
    }

    /** Returns the number of posted requests that have not completed, not counting receives. */
    public long sendRequests() {
        return sumGauges(ConnectionGauges::sendRequests);
    }

    /** Returns how many of {@link #sendRequests} have not started. */
    public long queuedSendRequests() {
        return sumGauges(ConnectionGauges::queuedSendRequests);
    }

    /** Returns the capacity of the send queues of the open connections. */
    public long sendQueueDepth() {
        return sumGauges(ConnectionGauges::sendQueueDepth);
    }

    /** Returns the number of posted receives that no message has used. */
    public long receiveRequests() {
        return sumGauges(ConnectionGauges::receiveRequests);
    }

    /** Returns the capacity of the receive queues of the open connections. */
    public long receiveQueueDepth() {
        return sumGauges(ConnectionGauges::receiveQueueDepth);
    }

    /** Returns the number of Reads and atomics of this side that wait for an answer. */
    public long outstandingReads() {
        return sumConnections(connection -> difference(connection, Counter.READS_REQUESTED, Counter.READS_ANSWERED));
    }

    /** Returns the number of Reads and atomics of peers that are being answered. */
    public long outstandingPeerReads() {
        return sumConnections(
                connection -> difference(connection, Counter.PEER_READS_ACCEPTED, Counter.PEER_READS_ANSWERED));
    }

    private static long difference(ConnectionMetrics connection, Counter begun, Counter done) {
        // The finished ones are read first, with acquire: they were begun before, so the difference is not negative.
        long finished = connection.gauges().counters().get(done);
        return connection.gauges().counters().get(begun) - finished;
    }

    /** Returns the number of posts that were refused because a limit was reached. */
    public long refusals(QueueLimit limit) {
        return events.refusals(limit);
    }

    private long sumGauges(ToIntFunction<ConnectionGauges> gauge) {
        return sumConnections(connection -> gauge.applyAsInt(connection.gauges()));
    }

    private long sumConnections(ToLongFunction<ConnectionMetrics> value) {
        lock.lock();
        try {
            long sum = 0;
            for (ConnectionMetrics connection : connections) {
                sum += value.applyAsLong(connection);
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    private long sumOperations(ToLongFunction<OperationTotals> value) {
        lock.lock();
        try {
            long sum = value.applyAsLong(closedOperations);
            for (EventLoopShare share : eventLoops.values()) {
                sum += value.applyAsLong(share.operations);
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }
}
