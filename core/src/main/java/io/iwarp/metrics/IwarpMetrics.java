package io.iwarp.metrics;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.memory.IwarpDevice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The sums over all queue pairs that were given this object in their settings, and over the registered memory of one device.
 *
 * <p>Counting costs the event loops little: each writes its own numbers and shares them with no other. The sums are made when
 * somebody reads them. What a connection counted stays in the sums when it has closed, so that a counter never goes
 * down. Any thread may read; readers take a lock, under which connections are entered and taken out as well.
 *
 * <p>{@link IwarpMeters} hands the sums to Micrometer. Without Micrometer the methods of this class tell them.
 */
public final class IwarpMetrics {
    /** By default the time of one request in this many is taken. */
    public static final int DEFAULT_TIMED_SHARE = 16;

    private static final int GREATEST_TIMED_SHARE = 1 << 20;

    private final IwarpDevice device;
    private final int timedShare;

    private final EventTotals events = new EventTotals();

    /** Guards all below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<ConnectionMetrics> connections = new HashSet<>();
    private final Map<Object, EventLoopShare> eventLoops = new HashMap<>();
    private final OperationTotals closedOperations = new OperationTotals();
    private final long[] closedCounters = new long[Counter.values().length];

    /** What the open connections of one event loop count together. */
    private static final class EventLoopShare {
        private final OperationTotals operations = new OperationTotals();
        private int connections;
    }

    /**
     * Collects for queue pairs that get it by {@code QueuePairSettings.metrics}, and tells of the memory of a device.
     *
     * @param device whose registered memory is reported
     */
    public IwarpMetrics(IwarpDevice device) {
        this(device, DEFAULT_TIMED_SHARE);
    }

    /**
     * As {@link #IwarpMetrics(IwarpDevice)}.
     *
     * @param device whose registered memory is reported
     * @param timedShare of how many requests one has its time taken, which costs two looks at the clock: a power of two, 1
     *     (all of them) to 1,048,576
     * @throws IllegalArgumentException if it is none
     */
    public IwarpMetrics(IwarpDevice device, int timedShare) {
        if (timedShare < 1 || timedShare > GREATEST_TIMED_SHARE || Integer.bitCount(timedShare) != 1) {
            throw new IllegalArgumentException(
                    "timedShare " + timedShare + " is not a power of two within 1 to " + GREATEST_TIMED_SHARE);
        }
        this.device = device;
        this.timedShare = timedShare;
    }

    /**
     * Enters a connection. The stack calls it; {@link ConnectionMetrics#closed} takes the connection out again.
     *
     * @param eventLoop the thread of the connection, as an object by which its connections know each other
     */
    public ConnectionMetrics enter(Role role, ConnectionGauges gauges, Object eventLoop) {
        lock.lock();
        try {
            EventLoopShare share = eventLoops.computeIfAbsent(eventLoop, loop -> new EventLoopShare());
            share.connections++;
            ConnectionMetrics connection =
                    new ConnectionMetrics(events, timedShare, role, gauges, eventLoop, share.operations, this::remove);
            connections.add(connection);
            return connection;
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

    @SuppressWarnings("EnumOrdinal") // The place is used in memory only and never stored or sent.
    private static int slot(Counter counter) {
        return counter.ordinal();
    }

    /** Counts a connection that was refused before its set-up began, as too many others were in set-up. */
    public void refuseSetup(Role role) {
        events.countSetup(role, SetupOutcome.REFUSED);
    }

    /** {@return of how many requests one has its time taken} */
    public int timedShare() {
        return timedShare;
    }

    /** {@return the device whose registered memory is reported} */
    public IwarpDevice device() {
        return device;
    }

    /** {@return how many connections are in a state now} */
    public int connections(Role role, ConnectionState state) {
        return (int) sumConnections(c -> c.role() == role && c.gauges().connectionState() == state ? 1 : 0);
    }

    /** {@return how many set-ups had an outcome so far} */
    public long setups(Role role, SetupOutcome outcome) {
        return events.setups(role, outcome);
    }

    /** {@return how many set-ups came to nothing for a reason so far} */
    public long setupFailures(Role role, SetupFailure failure) {
        return events.setupFailures(role, failure);
    }

    /** {@return how many established connections were ended by somebody so far} */
    public long ended(EndedBy endedBy) {
        return events.ended(endedBy);
    }

    /** {@return Terminates sent so far with an error, null for those that no RFC assigns} */
    public long terminatesSent(@Nullable ProtocolError error) {
        return events.terminates(true, error);
    }

    /** {@return Terminates received so far with an error, null for those that no RFC assigns} */
    public long terminatesReceived(@Nullable ProtocolError error) {
        return events.terminates(false, error);
    }

    /** {@return the sum of a counter over all connections, open and closed} */
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

    /** {@return requests of this side that completed with success so far} */
    public long completed(Operation operation) {
        return sumOperations(totals -> totals.completed(operation));
    }

    /** {@return the bytes that requests of this side moved so far} */
    public long completedBytes(Operation operation) {
        return sumOperations(totals -> totals.completedBytes(operation));
    }

    /** {@return requests of this side that were flushed so far, as their stream ended} */
    public long flushed(Operation operation) {
        return sumOperations(totals -> totals.flushedRequests(operation));
    }

    /** {@return operations of peers that were carried out here so far} */
    public long served(Operation operation) {
        return sumOperations(totals -> totals.served(operation));
    }

    /** {@return the bytes that operations of peers moved so far} */
    public long servedBytes(Operation operation) {
        return sumOperations(totals -> totals.servedBytes(operation));
    }

    /** {@return how many requests had their time taken so far} */
    public long timed(Operation operation) {
        return sumOperations(totals -> totals.timed(operation));
    }

    /** {@return how long those of {@link #timed} took together, in nanoseconds} */
    public long timedNanos(Operation operation) {
        return sumOperations(totals -> totals.timedNanos(operation));
    }

    /** {@return how many of {@link #timed} took no longer than {@code 2^(10 + bucket)} ns} */
    long withinBucket(Operation operation, int bucket) {
        return sumOperations(totals -> totals.withinBucket(operation, bucket));
    }

    /** {@return bytes of requests other than receives that an event loop has taken and that have not completed} */
    public long outstandingBytes() {
        return sumOperations(OperationTotals::outstandingBytes);
    }

    /** {@return requests posted and not completed, receives left out} */
    public long sendRequests() {
        return sumGauges(ConnectionGauges::sendRequests);
    }

    /** {@return of {@link #sendRequests}, those that no event loop has taken yet} */
    public long queuedSendRequests() {
        return sumGauges(ConnectionGauges::queuedSendRequests);
    }

    /** {@return how many requests the send queues of the open connections can hold} */
    public long sendQueueDepth() {
        return sumGauges(ConnectionGauges::sendQueueDepth);
    }

    /** {@return receives posted and not used} */
    public long receiveRequests() {
        return sumGauges(ConnectionGauges::receiveRequests);
    }

    /** {@return how many receives the receive queues of the open connections can hold} */
    public long receiveQueueDepth() {
        return sumGauges(ConnectionGauges::receiveQueueDepth);
    }

    /** {@return Reads and atomics of this side that wait for an answer} */
    public long outstandingReads() {
        return sumConnections(connection -> difference(connection, Counter.READS_REQUESTED, Counter.READS_ANSWERED));
    }

    /** {@return Reads and atomics of peers that are being answered} */
    public long outstandingPeerReads() {
        return sumConnections(
                connection -> difference(connection, Counter.PEER_READS_ACCEPTED, Counter.PEER_READS_ANSWERED));
    }

    private static long difference(ConnectionMetrics connection, Counter begun, Counter done) {
        // What is done is read first, with acquire: it was begun before that, so the difference is not negative.
        long finished = connection.gauges().counters().get(done);
        return connection.gauges().counters().get(begun) - finished;
    }

    /** {@return posts refused so far because a limit was reached} */
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
