package io.iwarp.metrics;

import io.iwarp.ConnectionState;
import io.iwarp.EndedBy;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.Role;
import io.iwarp.internal.metrics.DefaultIwarpMetrics;
import io.iwarp.internal.metrics.EventLoopTotals;
import io.iwarp.memory.MemoryLimit;
import io.iwarp.memory.ProtectionDomain;
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
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Registers an {@link IwarpMetrics} with Micrometer: all meters of the stack except those of a {@linkplain #ofDomain
 * domain}.
 *
 * <p>Gauges and counters are read from the sums when the registry is scraped or polled. Only the latency is recorded
 * while messages flow: that of the requests in the {@link LatencySampling} goes into a {@code Timer} of the registry. A
 * registry holds the {@code IwarpMetrics} weakly, as queue pairs and the application hold it, and the
 * {@code IwarpMetrics} holds the timers. The artifact {@code io.micrometer:micrometer-core} has to be on the class
 * path, or on the module path with a module that requires {@code micrometer.core}; the stack does not need it
 * otherwise. Immutable and safe for use by any thread.
 */
@SuppressWarnings("exports") // users of this class have Micrometer; others need not
public final class IwarpMeterBinder implements MeterBinder {
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
     * Creates a binder without additional tags.
     *
     * @param metrics the metrics to register
     */
    public IwarpMeterBinder(IwarpMetrics metrics) {
        this(metrics, Tags.empty());
    }

    /**
     * Creates a binder with additional tags.
     *
     * @param metrics the metrics to register
     * @param common additional tags of each meter, for example to distinguish two devices
     */
    public IwarpMeterBinder(IwarpMetrics metrics, Tags common) {
        this(metrics, common, false);
    }

    private IwarpMeterBinder(IwarpMetrics metrics, Tags common, boolean percentileHistogram) {
        this.metrics = metrics;
        this.common = common;
        this.percentileHistogram = percentileHistogram;
    }

    /**
     * Returns a binder whose latency is a histogram from 1 us to 10 s. A monitoring system computes percentiles from it
     * over any time and any number of processes. Each operation adds some 70 time series. A {@code MeterFilter} of the
     * registry can choose other bounds.
     */
    public IwarpMeterBinder withPercentileHistogram() {
        return new IwarpMeterBinder(metrics, common, true);
    }

    /**
     * Returns the binder of one protection domain: the meters whose names begin with {@code iwarp.domain}. A domain has
     * no name, so the application gives tags that distinguish its domains. Use few values: each is a time series. The
     * registry references the domain weakly.
     *
     * @param domain the domain
     * @param common additional tags of each meter, for example the name of a tenant
     */
    public static MeterBinder ofDomain(ProtectionDomain domain, Tags common) {
        return registry -> {
            register(registry, MeterDefinition.DOMAIN_REGISTERED, common, domain, ProtectionDomain::registeredBytes);
            register(
                    registry,
                    MeterDefinition.DOMAIN_REGISTERED_LIMIT,
                    common,
                    domain,
                    d -> d.limits().maxRegisteredBytes());
            register(registry, MeterDefinition.DOMAIN_REGIONS, common, domain, ProtectionDomain::regionCount);
            register(
                    registry,
                    MeterDefinition.DOMAIN_REGIONS_LIMIT,
                    common,
                    domain,
                    d -> d.limits().maxRegions());
            for (MemoryLimit limit : MemoryLimit.values()) {
                if (limit.ofDomain()) {
                    MeterDefinition refused = MeterDefinition.DOMAIN_REFUSED;
                    register(registry, refused, common.and(refused.tagged(limit)), domain, d -> d.refusals(limit));
                }
            }
        };
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (MeterDefinition meter : MeterDefinition.values()) {
            if (meter.value != null) {
                register(registry, meter, meter.value);
            }
        }
        bindConnections(registry);
        bindOperations(registry);
        bindLatency(registry);
        for (QueueLimit limit : QueueLimit.values()) {
            register(registry, MeterDefinition.POSTS_REFUSED, m -> m.refusals(limit), limit);
        }
        for (MemoryLimit limit : MemoryLimit.values()) {
            register(registry, MeterDefinition.MEMORY_REFUSED, m -> m.device().refusals(limit), limit);
        }
    }

    private void bindConnections(MeterRegistry registry) {
        for (Role role : Role.values()) {
            // A connection that is closed has left the sums.
            for (ConnectionState state : EnumSet.complementOf(EnumSet.of(ConnectionState.CLOSED))) {
                register(registry, MeterDefinition.CONNECTIONS, m -> m.connections(role, state), role, state);
            }
            for (SetupOutcome outcome : SetupOutcome.values()) {
                register(registry, MeterDefinition.SETUPS, m -> m.setups(role, outcome), role, outcome);
            }
            for (SetupFailure failure : SetupFailure.values()) {
                register(registry, MeterDefinition.SETUPS_FAILED, m -> m.setupFailures(role, failure), role, failure);
            }
        }
        // A rejected connection was never established: it is among the set-ups.
        for (EndedBy endedBy : EnumSet.complementOf(EnumSet.of(EndedBy.PEER_REJECTED))) {
            register(registry, MeterDefinition.CONNECTIONS_ENDED, m -> m.endedConnections(endedBy), endedBy);
        }
        for (ProtocolError error : ProtocolError.values()) {
            bindTerminates(registry, error);
        }
        bindTerminates(registry, null);
    }

    private void bindTerminates(MeterRegistry registry, @Nullable ProtocolError error) {
        String code = error == null ? UNASSIGNED : error.numbers();
        register(registry, MeterDefinition.TERMINATES_SENT, m -> m.terminatesSent(error), code);
        register(registry, MeterDefinition.TERMINATES_RECEIVED, m -> m.terminatesReceived(error), code);
    }

    private void bindOperations(MeterRegistry registry) {
        for (Operation operation : EventLoopTotals.COUNTED) {
            register(registry, MeterDefinition.OPERATIONS, m -> m.completedOperations(operation), operation, OUTBOUND);
            register(registry, MeterDefinition.OPERATIONS, m -> m.servedOperations(operation), operation, INBOUND);
            register(
                    registry,
                    MeterDefinition.OPERATIONS_PAYLOAD,
                    m -> m.completedBytes(operation),
                    operation,
                    OUTBOUND);
            register(registry, MeterDefinition.OPERATIONS_PAYLOAD, m -> m.servedBytes(operation), operation, INBOUND);
            register(registry, MeterDefinition.OPERATIONS_FLUSHED, m -> m.flushedOperations(operation), operation);
        }
    }

    private void bindLatency(MeterRegistry registry) {
        MeterDefinition latency = MeterDefinition.OPERATIONS_LATENCY;
        Map<Operation, Timer> timers = new EnumMap<>(Operation.class);
        for (Operation operation : EventLoopTotals.COUNTED) {
            Timer.Builder timer = Timer.builder(latency.meterName)
                    .description(latency.description)
                    .tags(common.and(latency.tagged(operation)))
                    .minimumExpectedValue(MIN_LATENCY)
                    .maximumExpectedValue(MAX_LATENCY);
            if (percentileHistogram) {
                timer.publishPercentileHistogram();
            }
            timers.put(operation, timer.register(registry));
        }
        ((DefaultIwarpMetrics) metrics).addLatencyRecorder(new Timers(registry, timers));
    }

    /**
     * The timers of one registry.
     *
     * @param registry distinguishes these timers from those of another registry, which are equal otherwise
     * @param timers by operation
     */
    private record Timers(MeterRegistry registry, Map<Operation, Timer> timers) implements ObjLongConsumer<Operation> {
        @Override
        public void accept(Operation operation, long nanos) {
            // A timer ignores a negative time, which two reads of a clock can give.
            Objects.requireNonNull(timers.get(operation)).record(Math.max(0, nanos), TimeUnit.NANOSECONDS);
        }
    }

    private void register(
            MeterRegistry registry, MeterDefinition meter, ToDoubleFunction<IwarpMetrics> value, Object... tagValues) {
        register(registry, meter, common.and(meter.tagged(tagValues)), metrics, value);
    }

    private static <T> void register(
            MeterRegistry registry, MeterDefinition meter, Tags tags, T owner, ToDoubleFunction<T> value) {
        if (meter.type == Meter.Type.GAUGE) {
            Gauge.builder(meter.meterName, owner, value)
                    .description(meter.description)
                    .baseUnit(meter.baseUnit)
                    .tags(tags)
                    .register(registry);
        } else {
            FunctionCounter.builder(meter.meterName, owner, value)
                    .description(meter.description)
                    .baseUnit(meter.baseUnit)
                    .tags(tags)
                    .register(registry);
        }
    }
}
