package io.iwarp.metrics;

import io.iwarp.Operation;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The timers of one registry.
 *
 * @param registry tells these timers from those of another registry, which are equal otherwise
 * @param timers by operation
 */
record LatencyTimers(MeterRegistry registry, Map<Operation, Timer> timers) implements LatencyRecorder {
    @Override
    public void took(Operation operation, long nanos) {
        // A timer ignores what is negative, as the difference of two looks at a clock can be.
        Objects.requireNonNull(timers.get(operation)).record(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }
}
