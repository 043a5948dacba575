/**
 * A plugin for Apache Spark: reducers fetch map output by RDMA Reads. Set {@code spark.plugins} to
 * {@link io.iwarp.spark.IwarpSparkPlugin} and {@code spark.shuffle.manager} to
 * {@link io.iwarp.spark.IwarpShuffleManager}.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
@NullMarked
package io.iwarp.spark;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
