package io.iwarp.internal.metrics;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.metrics.EventLoopTotals.Total;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.metrics.LatencySampling;
import io.iwarp.metrics.QueueLimit;
import io.iwarp.metrics.SetupFailure;
import io.iwarp.metrics.SetupOutcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what connections report, and sums it.
 *
 * <p>Each event loop writes its own numbers. Readers take a lock, which connections also take when they are opened and
 * closed.
 */
public final class DefaultIwarpMetrics implements IwarpMetrics {
    private static final Logger LOGGER = LoggerFactory.getLogger(IwarpMetrics.class);

    private final IwarpDevice device;
    private final LatencySampling latencySampling;

    /**
     * Counts of rare events. The key lists the tags of the event, for example a {@link Role} and a
     * {@link SetupOutcome}.
     */
    private final Map<List<?>, LongAdder> eventCounts = new ConcurrentHashMap<>();

    /** Recorders for the latency of timed requests. Copy-on-write. */
    private volatile List<ObjLongConsumer<Operation>> latencyRecorders = List.of();

    /** Guards all below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<Connection> connections = new HashSet<>();
    private final Map<Object, EventLoopTotals> eventLoops = new HashMap<>();
    private final EventLoopTotals closedOperations = new EventLoopTotals();
    private final ConnectionCounters closedCounters = new ConnectionCounters();

    /** Creates metrics in which nothing was counted. */
    public DefaultIwarpMetrics(IwarpDevice device, LatencySampling latencySampling) {
        this.device = device;
        this.latencySampling = latencySampling;
    }

    /**
     * Adds a connection. The stack calls it. {@link Connection#onClosed} removes the connection.
     *
     * @param gauges returns the current numbers of the connection; called by any thread, does not block
     * @param eventLoop the event loop of the connection, which identifies connections of the same thread
     */
    public Connection addConnection(Role role, Counters counters, Supplier<Gauges> gauges, Object eventLoop) {
        lock.lock();
        try {
            EventLoopTotals totals = eventLoops.computeIfAbsent(eventLoop, loop -> new EventLoopTotals());
            totals.connections++;
            Connection connection = new Connection(role, counters, gauges, eventLoop, totals);
            connections.add(connection);
            return connection;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The current state and numbers of a connection.
     *
     * @param state the state of the connection
     * @param sendRequests posted requests that have not completed, not counting receives
     * @param queuedSendRequests how many of {@code sendRequests} have not started
     * @param sendQueueDepth the capacity of the send queue
     * @param receiveRequests posted receives whose completions were not polled; of managed and shared receives, those
     *     that messages hold
     * @param receiveQueueDepth the capacity of the receive queue
     */
    public record Gauges(
            ConnectionState state,
            int sendRequests,
            int queuedSendRequests,
            int sendQueueDepth,
            int receiveRequests,
            int receiveQueueDepth) {}

    /**
     * The reports of one connection. Any thread may call {@link #onRefused} and {@link #timesRequest}. Only the event
     * loop of the connection calls the other methods. Only {@link #onClosed} locks.
     */
    public final class Connection {
        private final Role role;
        private final Counters counters;
        private final Supplier<Gauges> gauges;
        private final Object eventLoop;
        private final EventLoopTotals operations;
        private @Nullable SetupOutcome outcome;

        private Connection(
                Role role, Counters counters, Supplier<Gauges> gauges, Object eventLoop, EventLoopTotals operations) {
            this.role = role;
            this.counters = counters;
            this.gauges = gauges;
            this.eventLoop = eventLoop;
            this.operations = operations;
        }

        /**
         * Returns whether to time a request, by the {@link LatencySampling} of the {@link IwarpMetrics}.
         *
         * @param position the sequence number of the request on its connection
         */
        public boolean timesRequest(long position) {
            return latencySampling.includes(position);
        }

        /** The set-up succeeded. */
        public void onEstablished() {
            onSetupEnded(SetupOutcome.ACCEPTED);
        }

        /** The application of the responder rejected the connection. */
        public void onRejected() {
            onSetupEnded(SetupOutcome.REJECTED);
        }

        private void onSetupEnded(SetupOutcome result) {
            outcome = result;
            increment(role, result);
        }

        /** The connection ended, or its set-up failed. Call it once. */
        public void onEnded(CloseReason reason) {
            if (outcome == SetupOutcome.ACCEPTED) {
                increment(reason.endedBy());
            } else if (outcome == null) {
                SetupFailure failure = failureOf(reason);
                onSetupEnded(failure == SetupFailure.TIMED_OUT ? SetupOutcome.TIMED_OUT : SetupOutcome.FAILED);
                increment(role, failure);
            }
        }

        /** Bytes of a request were handed to RDMAP; {@link #onReleased} follows. */
        public void onSubmitted(Operation operation, long bytes) {
            operations.add(operation, Total.OUTSTANDING_BYTES, bytes);
        }

        /** A request that was {@link #onSubmitted} with this many bytes completed. */
        public void onReleased(Operation operation, long bytes) {
            operations.add(operation, Total.OUTSTANDING_BYTES, -bytes);
        }

        /** A request of this side completed with success, and moved this many bytes. */
        public void onCompleted(Operation operation, long bytes) {
            operations.add(operation, Total.COMPLETED, 1);
            operations.add(operation, Total.COMPLETED_BYTES, bytes);
        }

        /** A request of this side was flushed because its stream ended. */
        public void onFlushed(Operation operation) {
            operations.add(operation, Total.FLUSHED, 1);
        }

        /** A request of this side took this long from post to completion. */
        public void onLatency(Operation operation, long nanos) {
            operations.add(operation, Total.TIMED, 1);
            operations.add(operation, Total.TIMED_NANOS, nanos);
            recordLatency(operation, nanos);
        }

        /** An operation of the peer was executed here. */
        public void onServed(Operation operation, long bytes) {
            operations.add(operation, Total.SERVED, 1);
            operations.add(operation, Total.SERVED_BYTES, bytes);
        }

        /** A Terminate was sent or received; null for an error that no RFC assigns. */
        public void onTerminate(boolean sent, @Nullable ProtocolError error) {
            increment(sent ? Counter.TERMINATES_SENT : Counter.TERMINATES_RECEIVED, error);
        }

        /** A post was refused because of a limit. */
        public void onRefused(QueueLimit limit) {
            increment(limit);
        }

        /** The channel is closed, and nothing more will be counted. The totals stay in the sums. */
        public void onClosed() {
            remove(this);
        }
    }

    private static SetupFailure failureOf(CloseReason reason) {
        if (reason.cause() instanceof SSLException) {
            return SetupFailure.TLS;
        }
        return switch (reason.endedBy()) {
            case LOCAL_FAULT, PEER_TERMINATE -> SetupFailure.MALFORMED;
            case TIMEOUT -> SetupFailure.TIMED_OUT;
            case PEER_CLOSED -> SetupFailure.PEER_CLOSED;
            case TRANSPORT -> SetupFailure.TRANSPORT;
            case LOCAL_APPLICATION -> SetupFailure.LOCAL;
            case PEER_REJECTED -> throw new IllegalArgumentException("a rejection is not a failure");
        };
    }

    private void recordLatency(Operation operation, long nanos) {
        List<ObjLongConsumer<Operation>> recorders = latencyRecorders;
        // By index: an iterator would be garbage.
        for (int i = 0; i < recorders.size(); i++) {
            ObjLongConsumer<Operation> recorder = recorders.get(i);
            try {
                recorder.accept(operation, nanos);
            } catch (Throwable e) {
                removeLatencyRecorder(recorder);
                LOGGER.error("a meter registry threw an exception and gets no more latencies", e);
            }
        }
    }

    private void removeLatencyRecorder(ObjLongConsumer<Operation> failed) {
        lock.lock();
        try {
            latencyRecorders = latencyRecorders.stream()
                    .filter(recorder -> recorder != failed)
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds a consumer of the latency, in nanoseconds, of each timed request. Adding one equal to another has no effect.
     *
     * @param recorder called by many event loops; does not block or allocate
     */
    public void addLatencyRecorder(ObjLongConsumer<Operation> recorder) {
        lock.lock();
        try {
            if (!latencyRecorders.contains(recorder)) {
                List<ObjLongConsumer<Operation>> more = new ArrayList<>(latencyRecorders);
                more.add(recorder);
                latencyRecorders = List.copyOf(more);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes a connection, whose counts stay in the sums. Has no effect if it was removed before. */
    private void remove(Connection connection) {
        lock.lock();
        try {
            if (!connections.remove(connection)) {
                return;
            }
            for (Counter counter : Counter.values()) {
                closedCounters.add(counter, connection.counters.get(counter));
            }
            EventLoopTotals totals = eventLoops.get(connection.eventLoop);
            if (totals != null && --totals.connections == 0) {
                eventLoops.remove(connection.eventLoop);
                closedOperations.addAll(totals);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Counts a rare event. Any thread may call this. */
    private void increment(@Nullable Object... event) {
        eventCounts
                .computeIfAbsent(Arrays.asList(event), key -> new LongAdder())
                .increment();
    }

    private long eventCount(@Nullable Object... event) {
        LongAdder count = eventCounts.get(Arrays.asList(event));
        return count == null ? 0 : count.sum();
    }

    /** Counts a connection that was refused before its set-up, because too many others were in set-up. */
    public void onSetupRefused(Role role) {
        increment(role, SetupOutcome.OVERLOADED);
    }

    @Override
    public LatencySampling latencySampling() {
        return latencySampling;
    }

    @Override
    public IwarpDevice device() {
        return device;
    }

    @Override
    public int connections(Role role, ConnectionState state) {
        return (int) sumConnections(c -> c.role == role && c.gauges.get().state() == state ? 1 : 0);
    }

    @Override
    public long setups(Role role, SetupOutcome outcome) {
        return eventCount(role, outcome);
    }

    @Override
    public long setupFailures(Role role, SetupFailure failure) {
        return eventCount(role, failure);
    }

    @Override
    public long endedConnections(EndedBy endedBy) {
        return eventCount(endedBy);
    }

    @Override
    public long terminatesSent(@Nullable ProtocolError error) {
        return eventCount(Counter.TERMINATES_SENT, error);
    }

    @Override
    public long terminatesReceived(@Nullable ProtocolError error) {
        return eventCount(Counter.TERMINATES_RECEIVED, error);
    }

    @Override
    public long counter(Counter counter) {
        lock.lock();
        try {
            long sum = closedCounters.get(counter);
            for (Connection connection : connections) {
                sum += connection.counters.get(counter);
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long completedOperations(Operation operation) {
        return sum(operation, Total.COMPLETED);
    }

    @Override
    public long completedBytes(Operation operation) {
        return sum(operation, Total.COMPLETED_BYTES);
    }

    @Override
    public long flushedOperations(Operation operation) {
        return sum(operation, Total.FLUSHED);
    }

    @Override
    public long servedOperations(Operation operation) {
        return sum(operation, Total.SERVED);
    }

    @Override
    public long servedBytes(Operation operation) {
        return sum(operation, Total.SERVED_BYTES);
    }

    @Override
    public long timedOperations(Operation operation) {
        return sum(operation, Total.TIMED);
    }

    @Override
    public long timedNanos(Operation operation) {
        return sum(operation, Total.TIMED_NANOS);
    }

    @Override
    public long outstandingBytes() {
        return EventLoopTotals.COUNTED.stream()
                .mapToLong(operation -> sum(operation, Total.OUTSTANDING_BYTES))
                .sum();
    }

    @Override
    public long sendRequests() {
        return sumGauges(Gauges::sendRequests);
    }

    @Override
    public long queuedSendRequests() {
        return sumGauges(Gauges::queuedSendRequests);
    }

    @Override
    public long sendQueueDepth() {
        return sumGauges(Gauges::sendQueueDepth);
    }

    @Override
    public long receiveRequests() {
        return sumGauges(Gauges::receiveRequests);
    }

    @Override
    public long receiveQueueDepth() {
        return sumGauges(Gauges::receiveQueueDepth);
    }

    @Override
    public long outstandingReads() {
        return sumConnections(connection -> difference(connection, Counter.READS_REQUESTED, Counter.READS_COMPLETED));
    }

    @Override
    public long outstandingPeerReads() {
        return sumConnections(
                connection -> difference(connection, Counter.PEER_READS_ACCEPTED, Counter.PEER_READS_COMPLETED));
    }

    private static long difference(Connection connection, Counter begun, Counter ended) {
        // The second counter is read first, with acquire: what has ended has begun, so the difference is not negative.
        long endedCount = connection.counters.get(ended);
        return connection.counters.get(begun) - endedCount;
    }

    @Override
    public long refusals(QueueLimit limit) {
        return eventCount(limit);
    }

    private long sumGauges(ToIntFunction<Gauges> gauge) {
        return sumConnections(connection -> gauge.applyAsInt(connection.gauges.get()));
    }

    private long sumConnections(ToLongFunction<Connection> value) {
        lock.lock();
        try {
            long sum = 0;
            for (Connection connection : connections) {
                sum += value.applyAsLong(connection);
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    private long sum(Operation operation, Total total) {
        lock.lock();
        try {
            long sum = closedOperations.get(operation, total);
            for (EventLoopTotals eventLoop : eventLoops.values()) {
                sum += eventLoop.get(operation, total);
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }
}
