/**
 * Metrics: {@link io.iwarp.metrics.IwarpMetrics} collects them, {@link io.iwarp.metrics.IwarpMeterBinder} registers
 * them with Micrometer. Queue pairs without an {@code IwarpMetrics} collect nothing.
 */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp.metrics;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
