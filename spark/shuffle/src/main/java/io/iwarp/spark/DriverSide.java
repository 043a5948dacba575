package io.iwarp.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongFunction;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.scheduler.ExecutorKilled$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugin in the driver: keeps the address of each executor, and adds up what executors count.
 *
 * <p>Messages are arrays of strings. Spark deserializes messages without the class loader of the plugin.
 */
final class DriverSide implements DriverPlugin {
    private static final Logger LOGGER = LoggerFactory.getLogger(DriverSide.class);

    /** The key of the application's secret in the configuration that executors get from the driver. */
    static final String SECRET = "secret";

    /** The counts of the applications of this process that have ended. Guarded by the class. */
    private static Totals ended = Totals.ZERO;

    private final Map<String, PeerAddress> addresses = new ConcurrentHashMap<>();
    /** The last counts of each executor that has listened, also after its end. */
    private final Map<String, Totals> totals = new ConcurrentHashMap<>();
    /** Whether an executor that ended before it listened was logged. */
    private final AtomicBoolean loggedUnannounced = new AtomicBoolean();

    @Override
    public Map<String, String> init(SparkContext context, PluginContext pluginContext) {
        // A value out of range ends the application at its start.
        ShuffleSettings.from(pluginContext.conf());
        String reason = ShuffleSettings.reasonAgainst(pluginContext.conf());
        if (reason.isEmpty()) {
            LOGGER.info(
                    "Shuffles use RDMA Reads, with {}: {}",
                    Versions.text(),
                    SparkSecurity.describe(pluginContext.conf()));
            context.addSparkListener(new SparkListener() {
                @Override
                public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                    removed(removed.executorId(), removed.reason());
                }
            });
        } else {
            LOGGER.warn("Shuffles use Spark's own transport: {}", reason);
        }
        // Spark sends this to the executors, and redacts values whose key contains "secret".
        return Map.of(SECRET, Handshake.newSecret());
    }

    /**
     * Forgets the address of an executor that has ended. An executor without the jar ends by itself at its start, so
     * only the driver can name it. Spark reports some executors twice.
     */
    void removed(String executor, String reason) {
        addresses.remove(executor);
        boolean byItself = !reason.equals(ExecutorKilled$.MODULE$.message());
        if (byItself && !totals.containsKey(executor) && loggedUnannounced.compareAndSet(false, true)) {
            LOGGER.warn(
                    "Executor {} ended before it listened for RDMA Reads ({}). See its log; a ClassNotFoundException"
                            + " there means that its host lacks the jar of iwarp-spark. Further cases are not logged",
                    executor,
                    reason);
        }
    }

    @Override
    public void registerMetrics(String application, PluginContext context) {
        MetricRegistry registry = context.metricRegistry();
        register(registry, "blocksRead", Totals::blocksRead);
        register(registry, "bytesRead", Totals::bytesRead);
        register(registry, "largeBlocks", Totals::largeBlocks);
        register(registry, "unpublishedBlocks", Totals::unpublishedBlocks);
        register(registry, "fallbackBlocks", Totals::fallbackBlocks);
    }

    private void register(MetricRegistry registry, String name, ToLongFunction<Totals> part) {
        Gauge<Long> gauge = () -> part.applyAsLong(sum());
        registry.register(name, gauge);
    }

    @Override
    public @Nullable Object receive(Object message) {
        Message received = Message.of(message);
        switch (received.kind()) {
            case ANNOUNCE -> {
                totals.putIfAbsent(received.executor(), Totals.ZERO);
                addresses.put(received.executor(), received.address());
            }
            case COUNT -> totals.put(received.executor(), received.totals());
            case FIND -> {
                PeerAddress address = addresses.get(received.executor());
                return address == null
                        ? null
                        : Message.announce(received.executor(), address).strings();
            }
        }
        return null;
    }

    /** Returns the sum of the applications of this process that have ended. */
    static synchronized Totals ended() {
        return ended;
    }

    private static synchronized void end(Totals totals) {
        ended = ended.plus(totals);
    }

    /** Returns the sum of the last counts of all executors. */
    Totals sum() {
        Totals sum = Totals.ZERO;
        for (Totals each : totals.values()) {
            sum = sum.plus(each);
        }
        return sum;
    }

    @Override
    public void shutdown() {
        Totals sum = sum();
        end(sum);
        LOGGER.info("Shuffle: {}", sum);
    }
}
