package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.sun.management.UnixOperatingSystemMXBean;
import io.iwarp.testing.LogCapture;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.resource.ResourceInformation;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Starts of an executor that fail. */
class ExecutorSideTest {
    private static final Map<String, String> FROM_DRIVER = Map.of(DriverSide.SECRET, Handshake.newSecret());

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.spark");

    private final SparkConf conf = TwoNodes.settings();

    @Test
    void withoutMemorySparksTransportIsUsed() {
        assertThatCode(() -> new ExecutorSide().init(new Context(null), FROM_DRIVER))
                .doesNotThrowAnyException();

        assertThat(log.messages()).singleElement().asString().contains("Spark's own transport", "no direct memory");
        assertThat(CurrentNode.get()).isNull();
    }

    @Test
    void withoutMemoryAndFallbackTheStartFails() {
        conf.set("spark.shuffle.iwarp.fallback", "false");

        assertThatThrownBy(() -> new ExecutorSide().init(new Context(null), FROM_DRIVER))
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("no direct memory");
    }

    @Test
    void aDriverWithoutASecretIsNamed() {
        new ExecutorSide().init(new Context(null), Map.of());

        assertThat(log.messages()).singleElement().asString().contains("the driver sent no secret");
    }

    /** Here there is no SparkEnv, so the start fails when the node was created. */
    @Test
    void aFailedStartClosesTheNode() {
        MetricRegistry registry = new MetricRegistry();

        new ExecutorSide().init(new Context(registry), FROM_DRIVER);

        assertThat(log.messages()).singleElement().asString().contains("Spark's own transport");
        assertThat(registry.getGauges().get("registeredBytes").getValue()).isEqualTo(0L);
    }

    @Test
    void aNodeThatCannotListenLeavesNeitherMemoryNorThreads() throws IOException {
        ScarceAllocator memory = new ScarceAllocator(UnpooledByteBufAllocator.DEFAULT);
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            conf.set("spark.shuffle.iwarp.port", Integer.toString(other.getLocalPort()));
            ShuffleNode node = node(memory, new MetricRegistry());

            assertThatThrownBy(() -> node.listen("127.0.0.1"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(
                            "127.0.0.1:" + other.getLocalPort(), "set spark.shuffle.iwarp.bindAddress");
            node.close();
        }

        assertThat(memory.first.refCnt()).isZero();
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("iwarp-shuffle")));
    }

    /** The memory of the directory is released, and no event loop was made, which would hold file descriptors. */
    @Test
    void aStartThatFailsLeavesNothing() {
        ScarceAllocator memory = new ScarceAllocator(UnpooledByteBufAllocator.DEFAULT);
        MetricRegistry taken = new MetricRegistry();
        taken.counter("openFiles");
        long files = openFiles();

        for (int i = 0; i < 20; i++) {
            memory.exhausted = i % 2 == 0;
            assertThatThrownBy(() -> node(memory, taken)).isNotNull();
        }

        assertThat(memory.first.refCnt()).isZero();
        assertThat(openFiles() - files).isLessThan(10);
    }

    private ShuffleNode node(ScarceAllocator memory, MetricRegistry registry) {
        return new ShuffleNode(
                ShuffleSettings.from(conf),
                TwoNodes.handshake(TwoNodes.SECRET, "1"),
                null,
                id -> null,
                registry,
                memory);
    }

    private static long openFiles() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getOpenFileDescriptorCount();
    }

    /** Spark shows what the driver sends, in its web page and its log, except the values of secret keys. */
    @Test
    void sparkRedactsTheSecret() {
        var secrets = package$.MODULE$.SECRET_REDACTION_PATTERN().defaultValue().get();

        assertThat(secrets.findFirstIn(DriverSide.SECRET).isDefined()).isTrue();
    }

    /** The context of an executor. */
    private final class Context implements PluginContext {
        private final @Nullable MetricRegistry registry;

        /** @param registry null if the executor has no memory */
        Context(@Nullable MetricRegistry registry) {
            this.registry = registry;
        }

        @Override
        public MetricRegistry metricRegistry() {
            if (registry == null) {
                throw new OutOfMemoryError("no direct memory");
            }
            return registry;
        }

        @Override
        public SparkConf conf() {
            return conf;
        }

        @Override
        public String executorID() {
            return "1";
        }

        @Override
        public String hostname() {
            return "localhost";
        }

        @Override
        public Map<String, ResourceInformation> resources() {
            return Map.of();
        }

        @Override
        public void send(Object message) {}

        @Override
        public Object ask(Object message) {
            throw new AssertionError("nothing to ask");
        }
    }
}
