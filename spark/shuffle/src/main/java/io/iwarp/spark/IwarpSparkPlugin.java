package io.iwarp.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Starts the iWARP shuffle in each executor. Set {@code spark.plugins} to the name of this class, and
 * {@code spark.shuffle.manager} to {@code io.iwarp.spark.IwarpShuffleManager}.
 */
public final class IwarpSparkPlugin implements SparkPlugin {
    /** Called by Spark. */
    public IwarpSparkPlugin() {}

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverSide();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorSide();
    }
}
