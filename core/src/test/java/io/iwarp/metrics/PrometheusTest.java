package io.iwarp.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Operation;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.metrics.DefaultIwarpMetrics;
import io.iwarp.memory.IwarpDevice;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What Prometheus sees: the queries of the dashboard name nothing else. */
class PrometheusTest {
    private static final Path DOCUMENTS = Path.of("..", "docs");
    private static final Pattern TYPE = Pattern.compile("^# TYPE (\\w+) (\\w+)$", Pattern.MULTILINE);
    private static final Pattern SERIES = Pattern.compile("^(iwarp_\\w+)(?:\\{(.*)})? ", Pattern.MULTILINE);
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
    private static final Pattern QUERY = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern METRIC = Pattern.compile("\\b(iwarp_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern GROUPING = Pattern.compile("by \\(([^)]*)\\)");

    /** By the name of a family in Prometheus, its type there. */
    private static Map<String, String> types(String scrape) {
        return TYPE.matcher(scrape)
                .results()
                .collect(Collectors.toMap(type -> type.group(1), type -> type.group(2), (a, b) -> a, TreeMap::new));
    }

    private static String scrape(boolean histogram) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        IwarpDevice device = IwarpDevice.create();
        DefaultIwarpMetrics metrics = new DefaultIwarpMetrics(device, LatencySampling.DEFAULT);
        IwarpMeterBinder meters = new IwarpMeterBinder(metrics);
        (histogram ? meters.withPercentileHistogram() : meters).bindTo(registry);
        IwarpMeterBinder.ofDomain(device.createProtectionDomain(), Tags.empty()).bindTo(registry);
        metrics.addConnection(Role.INITIATOR, new ConnectionCounters(), () -> IwarpMeterBinderTest.IDLE, device)
                .onLatency(Operation.WRITE, 1_500_000);
        return registry.scrape();
    }

    private static String typeInPrometheus(Meter.Type type) {
        return switch (type) {
            case COUNTER -> "counter";
            case GAUGE -> "gauge";
            case TIMER -> "summary";
            default -> throw new AssertionError("no meter is a " + type);
        };
    }

    /** Returns the name by the rule of {@code docs/metrics.md}. */
    private static String name(MeterDefinition meter) {
        String name = meter.meterName.replace('.', '_');
        if (meter.baseUnit != null) {
            name += "_" + meter.baseUnit;
        }
        return meter.type == Meter.Type.COUNTER ? name + "_total" : name;
    }

    @Test
    void eachMeterIsShownByItsNameUnitAndType() {
        Map<String, String> expected = new TreeMap<>();
        for (MeterDefinition meter : MeterDefinition.values()) {
            expected.put(name(meter), typeInPrometheus(meter.type));
        }
        assertThat(types(scrape(false))).containsAllEntriesOf(expected);
    }

    @Test
    void noNameSaysItsUnitTwice() {
        assertThat(types(scrape(true)).keySet())
                .isNotEmpty()
                .allSatisfy(name -> assertThat(name.split("_")).doesNotHaveDuplicates());
    }

    @Test
    void theLatencyIsAHistogramIfThatIsAskedFor() {
        assertThat(types(scrape(false))).containsEntry("iwarp_operations_latency_seconds", "summary");
        String scrape = scrape(true);
        assertThat(types(scrape)).containsEntry("iwarp_operations_latency_seconds", "histogram");
        assertThat(scrape)
                .containsPattern("iwarp_operations_latency_seconds_bucket\\{operation=\"write\",le=\"1\\.0E-6\"} 0")
                .containsPattern("iwarp_operations_latency_seconds_bucket\\{operation=\"write\",le=\"10\\.0\"} 1")
                .containsPattern("iwarp_operations_latency_seconds_count\\{operation=\"write\"} 1")
                .containsPattern("iwarp_operations_latency_seconds_sum\\{operation=\"write\"} 0\\.0015");
    }

    @Test
    void everyQueryOfTheDashboardFindsSomething() throws Exception {
        Map<String, Set<String>> labels = new TreeMap<>();
        Set<String> labelled = new TreeSet<>();
        for (MatchResult series : SERIES.matcher(scrape(true)).results().toList()) {
            Set<String> keys = labels.computeIfAbsent(series.group(1), name -> new TreeSet<>());
            String all = series.group(2) == null ? "" : series.group(2);
            LABEL.matcher(all).results().forEach(label -> {
                keys.add(label.group(1));
                labelled.add(label.group());
            });
        }
        String dashboard = Files.readString(DOCUMENTS.resolve("grafana.json"));
        var queries = QUERY.matcher(dashboard)
                .results()
                .map(query -> query.group(1).replace("\\\"", "\""))
                .toList();
        assertThat(queries).hasSizeGreaterThan(10);
        for (String query : queries) {
            assertThat(METRIC.matcher(query).results()).as(query).isNotEmpty().allSatisfy(metric -> {
                assertThat(labels).containsKey(metric.group(1));
                Set<String> own = labels.get(metric.group(1));
                GROUPING.matcher(query)
                        .results()
                        .flatMap(grouping -> Arrays.stream(grouping.group(1).split(", ")))
                        .forEach(label -> assertThat(own).as(query).contains(label));
                if (metric.group(2) != null) {
                    LABEL.matcher(metric.group(2))
                            .results()
                            .filter(label -> !label.group(2).startsWith("$"))
                            .forEach(label -> assertThat(labelled).as(query).contains(label.group()));
                }
            });
        }
    }
}
