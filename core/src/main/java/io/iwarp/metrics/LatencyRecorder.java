package io.iwarp.metrics;

import io.iwarp.Operation;

/** Gets the time of each request whose time is taken. Called by many event loops; does not block or allocate. */
@FunctionalInterface
interface LatencyRecorder {
    void took(Operation operation, long nanos);
}
