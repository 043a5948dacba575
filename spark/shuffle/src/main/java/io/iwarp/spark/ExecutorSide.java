package io.iwarp.spark;

import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext$;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The plugin in an executor: starts the node, and sends its address and its counts to the driver. */
final class ExecutorSide implements ExecutorPlugin {
    private static final Logger LOGGER = LoggerFactory.getLogger(ExecutorSide.class);

    private @Nullable ShuffleNode node;
    private @Nullable PluginContext context;
    /** The counts that were sent last. Guarded by this. */
    private Totals sent = Totals.ZERO;

    @Override
    public void init(PluginContext pluginContext, Map<String, String> extraConf) {
        SparkConf conf = pluginContext.conf();
        String executor = pluginContext.executorID();
        if (executor.equals(SparkContext$.MODULE$.DRIVER_IDENTIFIER())
                || !ShuffleSettings.reasonAgainst(conf).isEmpty()) {
            // In local mode no executor fetches from another.
            return;
        }
        ShuffleSettings settings = ShuffleSettings.from(conf);
        try {
            String ofDriver = Objects.requireNonNull(
                    extraConf.get(DriverSide.SECRET),
                    "the driver sent no secret: driver and executors need the same version of the plugin");
            Handshake handshake = new Handshake(SparkSecurity.secret(ofDriver, conf), executor, System::nanoTime);
            start(pluginContext, settings, handshake, SparkSecurity.tls(conf));
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            if (!settings.fallback()) {
                throw new IllegalStateException("the iWARP shuffle could not start", e);
            }
            LOGGER.warn("Executor {} uses Spark's own transport for shuffles: {}", executor, e.toString(), e);
        }
    }

    private void start(PluginContext pluginContext, ShuffleSettings settings, Handshake handshake, @Nullable Tls tls)
            throws Exception {
        ShuffleNode started = new ShuffleNode(
                settings,
                handshake,
                tls,
                id -> find(pluginContext, id),
                pluginContext.metricRegistry(),
                ByteBufAllocator.DEFAULT);
        try {
            // The context's host name is that of a server, which executors do not have.
            String host = SparkEnv.get().blockManager().blockManagerId().host();
            PeerAddress address = started.listen(host);
            pluginContext.ask(Message.announce(handshake.executor(), address).strings());
            LOGGER.info(
                    "Executor {} listens for RDMA Reads at {}:{}",
                    handshake.executor(),
                    address.host(),
                    address.port());
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            started.close();
            throw e;
        }
        node = started;
        context = pluginContext;
        CurrentNode.set(started);
    }

    private static PeerAddress find(PluginContext pluginContext, String executor) throws Exception {
        Object response = pluginContext.ask(Message.find(executor).strings());
        if (response == null) {
            throw new UnknownHostException("the driver knows no address of executor " + executor);
        }
        return Message.of(response).address();
    }

    @Override
    public void onTaskSucceeded() {
        sendCounts();
    }

    @Override
    public void onTaskFailed(TaskFailedReason reason) {
        sendCounts();
    }

    private synchronized void sendCounts() {
        ShuffleNode mine = node;
        PluginContext driver = context;
        if (mine == null || driver == null) {
            return;
        }
        Totals totals = mine.metrics().totals();
        if (!totals.equals(sent)) {
            sent = totals;
            try {
                driver.send(Message.count(driver.executorID(), totals).strings());
            } catch (IOException | RuntimeException e) {
                LOGGER.debug("Could not send {} to the driver", totals, e);
            }
        }
    }

    @Override
    public void shutdown() {
        ShuffleNode mine = node;
        if (mine != null) {
            CurrentNode.clear(mine);
            mine.close();
        }
    }
}
