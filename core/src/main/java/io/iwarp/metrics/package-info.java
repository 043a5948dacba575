/**
 * What a running stack tells about itself in numbers: {@link io.iwarp.metrics.IwarpMetrics} collects,
 * {@link io.iwarp.metrics.IwarpMeters} hands it to Micrometer. Nothing here is done for queue pairs that were not given
 * an {@code IwarpMetrics}.
 */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp.metrics;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
