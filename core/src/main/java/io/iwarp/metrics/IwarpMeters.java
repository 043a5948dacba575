package io.iwarp.metrics;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.memory.MemoryLimit;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Registers an {@link IwarpMetrics} with Micrometer: each {@link IwarpMeter} except those of {@link DomainMeters}, for each
 * value of its tags.
 *
 * <p>Gauges and counters are read from the sums when the registry is scraped or polled. Only the latency is recorded while
 * messages flow: one of as many requests as {@link IwarpMetrics#timedShare} says has its time taken, which goes into a
 * {@code Timer} of the registry. A registry holds the {@code IwarpMetrics} weakly, as queue pairs and the application hold
 * it, and the {@code IwarpMetrics} holds the timers. The artifact
 * {@code io.micrometer:micrometer-core} has to be on the class path, or on the module path with a module that requires
 * {@code micrometer.core}; the stack does not need it otherwise. Immutable and safe for use by any thread.
 */
@SuppressWarnings("exports") // whoever uses it has Micrometer; others must not need it
public final class IwarpMeters implements MeterBinder {
    private static final String OUTBOUND = "outbound";
    private static final String INBOUND = "inbound";
    private static final String UNASSIGNED = "unassigned";
    /** The range of a histogram; Micrometer's own begins at 1 ms. */
    private static final Duration MIN_LATENCY = Duration.ofNanos(1000);

    private static final Duration MAX_LATENCY = Duration.ofSeconds(10);

    private final IwarpMetrics metrics;
    private final Tags common;
    private final boolean percentileHistogram;

    /**
     * Creates meters without additional tags.
     *
     * @param metrics the metrics to register
     */
    public IwarpMeters(IwarpMetrics metrics) {
        this(metrics, Tags.empty());
    }

    /**
     * Creates meters with additional tags.
     *
     * @param metrics the metrics to register
     * @param common additional tags of each meter, for example to distinguish two devices
     */
    public IwarpMeters(IwarpMetrics metrics, Tags common) {
        this(metrics, common, false);
    }

    private IwarpMeters(IwarpMetrics metrics, Tags common, boolean percentileHistogram) {
        this.metrics = metrics;
        this.common = common;
        this.percentileHistogram = percentileHistogram;
    }

    /**
     * {@return the same, whose latency is a histogram from 1 us to 10 s, of which a monitoring system computes percentiles over any time and any number of processes}
     * Each operation adds some 70 time series. A {@code MeterFilter} of the registry can choose other bounds.
     */
    public IwarpMeters withPercentileHistogram() {
        return new IwarpMeters(metrics, common, true);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        bindConnections(registry);
        bindOperations(registry);
        bindWire(registry);
        bindQueues(registry);
        bindMemory(registry);
    }

    private void bindConnections(MeterRegistry registry) {
        for (Role role : Role.values()) {
            Tags ofRole = tag(IwarpMeter.Tag.ROLE, role.tag());
            // A connection that is closed has left the sums.
            for (ConnectionState state : EnumSet.complementOf(EnumSet.of(ConnectionState.CLOSED))) {
                Tags tags = ofRole.and(tag(IwarpMeter.Tag.STATE, state.tag()));
                gauge(registry, IwarpMeter.CONNECTIONS, tags, m -> m.connections(role, state));
            }
            for (SetupOutcome outcome : SetupOutcome.values()) {
                Tags tags = ofRole.and(tag(IwarpMeter.Tag.OUTCOME, outcome.tag()));
                counter(registry, IwarpMeter.SETUPS, tags, m -> m.setups(role, outcome));
            }
            for (SetupFailure failure : SetupFailure.values()) {
                Tags tags = ofRole.and(tag(IwarpMeter.Tag.REASON, failure.tag()));
                counter(registry, IwarpMeter.SETUPS_FAILED, tags, m -> m.setupFailures(role, failure));
            }
        }
        for (EndedBy endedBy : EndedBy.values()) {
            Tags tags = tag(IwarpMeter.Tag.CAUSE, endedBy.name().toLowerCase(Locale.ROOT));
            counter(registry, IwarpMeter.CONNECTIONS_ENDED, tags, m -> m.ended(endedBy));
        }
        for (ProtocolError error : ProtocolError.values()) {
            bindTerminates(registry, error);
        }
        bindTerminates(registry, null);
    }

    private void bindTerminates(MeterRegistry registry, @Nullable ProtocolError error) {
        Tags tags = tag(IwarpMeter.Tag.CODE, error == null ? UNASSIGNED : error.numbers());
        counter(registry, IwarpMeter.TERMINATES_SENT, tags, m -> m.terminatesSent(error));
        counter(registry, IwarpMeter.TERMINATES_RECEIVED, tags, m -> m.terminatesReceived(error));
    }

    private void bindOperations(MeterRegistry registry) {
        for (Operation operation : OperationTotals.COUNTED) {
            Tags tags = tag(IwarpMeter.Tag.OPERATION, operation.tag());
            Tags outbound = tags.and(tag(IwarpMeter.Tag.DIRECTION, OUTBOUND));
            Tags inbound = tags.and(tag(IwarpMeter.Tag.DIRECTION, INBOUND));
            counter(registry, IwarpMeter.OPERATIONS, outbound, m -> m.completed(operation));
            counter(registry, IwarpMeter.OPERATIONS, inbound, m -> m.served(operation));
            counter(registry, IwarpMeter.OPERATIONS_PAYLOAD, outbound, m -> m.completedBytes(operation));
            counter(registry, IwarpMeter.OPERATIONS_PAYLOAD, inbound, m -> m.servedBytes(operation));
            counter(registry, IwarpMeter.OPERATIONS_FLUSHED, tags, m -> m.flushed(operation));
        }
        bindLatency(registry);
    }

    private void bindLatency(MeterRegistry registry) {
        Map<Operation, Timer> timers = new EnumMap<>(Operation.class);
        for (Operation operation : OperationTotals.COUNTED) {
            Timer.Builder timer = Timer.builder(IwarpMeter.OPERATIONS_LATENCY.getName())
                    .description(IwarpMeter.OPERATIONS_LATENCY.description())
                    .tags(common.and(tag(IwarpMeter.Tag.OPERATION, operation.tag())))
                    .minimumExpectedValue(MIN_LATENCY)
                    .maximumExpectedValue(MAX_LATENCY);
            if (percentileHistogram) {
                timer.publishPercentileHistogram();
            }
            timers.put(operation, timer.register(registry));
        }
        metrics.addLatencyRecorder(new LatencyTimers(registry, timers));
    }

    private void bindWire(MeterRegistry registry) {
        for (Counter counter : Counter.values()) {
            if (counter != Counter.TERMINATES_SENT && counter != Counter.TERMINATES_RECEIVED) {
                counter(registry, IwarpMeter.of(counter), Tags.empty(), m -> m.counter(counter));
            }
        }
        gauge(registry, IwarpMeter.READS_OUTSTANDING, Tags.empty(), IwarpMetrics::outstandingReads);
        gauge(registry, IwarpMeter.PEER_READS_OUTSTANDING, Tags.empty(), IwarpMetrics::outstandingPeerReads);
    }

    private void bindQueues(MeterRegistry registry) {
        gauge(registry, IwarpMeter.SEND_QUEUE_REQUESTS, Tags.empty(), IwarpMetrics::sendRequests);
        gauge(registry, IwarpMeter.SEND_QUEUE_WAITING, Tags.empty(), IwarpMetrics::queuedSendRequests);
        gauge(registry, IwarpMeter.SEND_QUEUE_DEPTH, Tags.empty(), IwarpMetrics::sendQueueDepth);
        gauge(registry, IwarpMeter.SEND_QUEUE_PAYLOAD, Tags.empty(), IwarpMetrics::outstandingBytes);
        gauge(registry, IwarpMeter.RECEIVE_QUEUE_REQUESTS, Tags.empty(), IwarpMetrics::receiveRequests);
        gauge(registry, IwarpMeter.RECEIVE_QUEUE_DEPTH, Tags.empty(), IwarpMetrics::receiveQueueDepth);
        for (QueueLimit limit : QueueLimit.values()) {
            Tags tags = tag(IwarpMeter.Tag.LIMIT, limit.tag());
            counter(registry, IwarpMeter.POSTS_REFUSED, tags, m -> m.refusals(limit));
        }
    }

    private void bindMemory(MeterRegistry registry) {
        gauge(
                registry,
                IwarpMeter.MEMORY_REGISTERED,
                Tags.empty(),
                m -> m.device().registeredBytes());
        gauge(
                registry,
                IwarpMeter.MEMORY_REGISTERED_LIMIT,
                Tags.empty(),
                m -> m.device().maximumRegisteredBytes());
        gauge(registry, IwarpMeter.MEMORY_REGIONS, Tags.empty(), m -> m.device().regions());
        gauge(
                registry,
                IwarpMeter.MEMORY_REGIONS_LIMIT,
                Tags.empty(),
                m -> m.device().maximumRegions());
        gauge(registry, IwarpMeter.MEMORY_WINDOWS, Tags.empty(), m -> m.device().windows());
        gauge(
                registry,
                IwarpMeter.MEMORY_WINDOWS_LIMIT,
                Tags.empty(),
                m -> m.device().maximumWindows());
        gauge(registry, IwarpMeter.MEMORY_INPUT, Tags.empty(), m -> m.device().partialFpduBytes());
        gauge(
                registry,
                IwarpMeter.MEMORY_INPUT_LIMIT,
                Tags.empty(),
                m -> m.device().maximumPartialFpduBytes());
        gauge(registry, IwarpMeter.MEMORY_MANAGED, Tags.empty(), m -> m.device().managedReceiveBytes());
        gauge(
                registry,
                IwarpMeter.MEMORY_MANAGED_LIMIT,
                Tags.empty(),
                m -> m.device().maximumManagedReceiveBytes());
        for (MemoryLimit limit : MemoryLimit.values()) {
            Tags tags = tag(IwarpMeter.Tag.LIMIT, limit.tag());
            counter(registry, IwarpMeter.MEMORY_REFUSED, tags, m -> m.device().refusals(limit));
        }
        counter(
                registry,
                IwarpMeter.STAGS_RETIRED,
                Tags.empty(),
                m -> m.device().retiredSTags());
        gauge(
                registry,
                IwarpMeter.STAGS_QUARANTINED,
                Tags.empty(),
                m -> m.device().quarantinedSTags());
    }

    private static Tags tag(IwarpMeter.Tag tag, String value) {
        return Tags.of(tag.asString(), value);
    }

    private void gauge(MeterRegistry registry, IwarpMeter meter, Tags tags, ToDoubleFunction<IwarpMetrics> value) {
        requireType(meter, Meter.Type.GAUGE);
        Gauge.builder(meter.getName(), metrics, value)
                .description(meter.description())
                .baseUnit(meter.getBaseUnit())
                .tags(common.and(tags))
                .register(registry);
    }

    private void counter(MeterRegistry registry, IwarpMeter meter, Tags tags, ToDoubleFunction<IwarpMetrics> value) {
        requireType(meter, Meter.Type.COUNTER);
        FunctionCounter.builder(meter.getName(), metrics, value)
                .description(meter.description())
                .baseUnit(meter.getBaseUnit())
                .tags(common.and(tags))
                .register(registry);
    }

    private static void requireType(IwarpMeter meter, Meter.Type type) {
        if (meter.getType() != type) {
            throw new IllegalStateException(meter + " is a " + meter.getType() + ", not a " + type);
        }
    }
}
