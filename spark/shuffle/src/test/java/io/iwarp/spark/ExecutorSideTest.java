package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.sun.management.UnixOperatingSystemMXBean;
import io.iwarp.testing.LogCapture;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.resource.ResourceInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The start of an executor that cannot have a node. */
class ExecutorSideTest {
    private static final Map<String, String> FROM_DRIVER = Map.of(DriverSide.SECRET, Handshake.newSecret());

    @RegisterExtension
    private final LogCapture log = new LogCapture("io.iwarp.spark");

    private final SparkConf conf = TwoNodes.settings();

    @Test
    void tooLittleMemoryLeavesShufflesToSpark() {
        assertThatCode(() -> new ExecutorSide().init(new WithoutMemory(), FROM_DRIVER))
                .doesNotThrowAnyException();

        assertThat(log.messages()).singleElement().asString().contains("Spark's own transport", "no direct memory");
        assertThat(CurrentNode.get()).isNull();
    }

    @Test
    void tooLittleMemoryFailsTheStartWithoutFallback() {
        conf.set("spark.shuffle.iwarp.fallback", "false");

        assertThatThrownBy(() -> new ExecutorSide().init(new WithoutMemory(), FROM_DRIVER))
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("no direct memory");
    }

    @Test
    void aDriverWithoutASecretIsNamed() {
        new ExecutorSide().init(new WithoutMemory(), Map.of());

        assertThat(log.messages()).singleElement().asString().contains("the driver sent no secret");
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
            assertThatThrownBy(() -> new ShuffleNode(
                            ShuffleSettings.from(conf),
                            TwoNodes.handshake(TwoNodes.SECRET, "1"),
                            null,
                            id -> null,
                            taken,
                            memory))
                    .isNotNull();
        }

        assertThat(memory.first.refCnt()).isZero();
        assertThat(openFiles() - files).isLessThan(10);
    }

    private static long openFiles() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getOpenFileDescriptorCount();
    }

    /** Spark shows what the driver hands out, in its web page and its log, but for the keys that look secret. */
    @Test
    void sparkRedactsTheSecret() {
        var secrets = package$.MODULE$.SECRET_REDACTION_PATTERN().defaultValue().get();

        assertThat(secrets.findFirstIn(DriverSide.SECRET).isDefined()).isTrue();
    }

    /** An executor whose directory finds no memory. */
    private final class WithoutMemory implements PluginContext {
        @Override
        public MetricRegistry metricRegistry() {
            throw new OutOfMemoryError("no direct memory");
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
