/**
 * What a running stack tells about itself in numbers: {@link io.iwarp.metrics.IwarpMetrics} collects,
 * {@link io.iwarp.metrics.IwarpMeters} hands it to Micrometer. Nothing here is done for queue pairs that were not given
 * an {@code IwarpMetrics}.
 */
@NullMarked
package io.iwarp.metrics;

import org.jspecify.annotations.NullMarked;
