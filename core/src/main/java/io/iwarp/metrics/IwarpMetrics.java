package io.iwarp.metrics;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.metrics.DefaultIwarpMetrics;
import io.iwarp.memory.IwarpDevice;
import org.jspecify.annotations.Nullable;

/**
 * The sums over all queue pairs that have this object in their settings, and over the registered memory of one device.
 *
 * <p>Counting is cheap: each event loop writes its own numbers. The sums are computed on reading. The counts of closed
 * connections stay in the sums, so that a counter never decreases. Any thread may read. Readers take a lock, which
 * connections also take when they are opened and closed.
 *
 * <p>{@link IwarpMeterBinder} registers the sums with Micrometer. Without Micrometer, use the methods of this
 * interface.
 */
public sealed interface IwarpMetrics permits DefaultIwarpMetrics {
    /**
     * Returns metrics for queue pairs that get them by {@code QueuePairSettings.metrics}, and for the memory of a
     * device. They time the requests of {@link LatencySampling#DEFAULT}.
     *
     * @param device the device whose registered memory is reported
     */
    static IwarpMetrics create(IwarpDevice device) {
        return create(device, LatencySampling.DEFAULT);
    }

    /**
     * Returns metrics; see {@link #create(IwarpDevice)}.
     *
     * @param device the device whose registered memory is reported
     * @param latencySampling the requests whose latency is measured
     */
    static IwarpMetrics create(IwarpDevice device, LatencySampling latencySampling) {
        return new DefaultIwarpMetrics(device, latencySampling);
    }

    /** Returns the requests whose latency is measured. */
    LatencySampling latencySampling();

    /** Returns the device whose registered memory is reported. */
    IwarpDevice device();

    /** Returns the number of connections in a state. */
    int connections(Role role, ConnectionState state);

    /** Returns the number of set-ups with an outcome. */
    long setups(Role role, SetupOutcome outcome);

    /** Returns the number of set-ups that failed for a reason. */
    long setupFailures(Role role, SetupFailure failure);

    /** Returns the number of established connections, by who ended them. */
    long endedConnections(EndedBy endedBy);

    /** Returns the number of Terminates sent with an error; null for errors that no RFC assigns. */
    long terminatesSent(@Nullable ProtocolError error);

    /** Returns the number of Terminates received with an error; null for errors that no RFC assigns. */
    long terminatesReceived(@Nullable ProtocolError error);

    /** Returns the sum of a counter over all connections, open and closed. */
    long counter(Counter counter);

    /** Returns the number of requests of this side that completed with success. */
    long completedOperations(Operation operation);

    /** Returns the bytes that requests of this side moved. */
    long completedBytes(Operation operation);

    /** Returns the number of requests of this side that were flushed because their stream ended. */
    long flushedOperations(Operation operation);

    /** Returns the number of operations of peers that were executed here. */
    long servedOperations(Operation operation);

    /** Returns the bytes that operations of peers moved. */
    long servedBytes(Operation operation);

    /** Returns the number of timed requests. */
    long timedOperations(Operation operation);

    /** Returns the total duration of the {@link #timedOperations} requests, in nanoseconds. */
    long timedNanos(Operation operation);

    /** Returns bytes of requests other than receives that an event loop has taken and that have not completed. */
    long outstandingBytes();

    /** Returns the number of posted requests that have not completed, not counting receives. */
    long sendRequests();

    /** Returns how many of {@link #sendRequests} have not started. */
    long queuedSendRequests();

    /** Returns the capacity of the send queues of the open connections. */
    long sendQueueDepth();

    /**
     * Returns the number of posted receives whose completions were not polled; of managed and shared receives, of those
     * that messages hold.
     */
    long receiveRequests();

    /** Returns the capacity of the receive queues of the open connections. */
    long receiveQueueDepth();

    /** Returns the number of Reads and atomics of this side that wait for a response. */
    long outstandingReads();

    /** Returns the number of Reads and atomics of peers that have not been responded to. */
    long outstandingPeerReads();

    /** Returns the number of posts that were refused because a limit was reached. */
    long refusals(QueueLimit limit);
}
