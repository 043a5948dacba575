package io.iwarp.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.IwarpDevice;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/metrics.md} has each meter as the code has it, under its type, each tag with all its values, and no
 * other.
 */
class MetricsDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "metrics.md");
    private static final Pattern METER = Pattern.compile("^\\| `iwarp\\..*\\|$|^### .*$", Pattern.MULTILINE);
    private static final Pattern TAG = Pattern.compile("^\\| `(\\w+)` \\| (.*) \\|$", Pattern.MULTILINE);
    private static final Pattern VALUE = Pattern.compile("`([^`]+)`");

    private static List<String> rows(Pattern row) throws IOException {
        return row.matcher(Files.readString(DOCUMENT))
                .results()
                .map(found -> found.group())
                .toList();
    }

    private static String row(MeterDefinition meter) {
        String tags = meter.tags.stream().map(tag -> "`" + tag.key + "`").collect(Collectors.joining(", "));
        return "| `" + meter.meterName + "`" + (tags.isEmpty() ? "" : " by " + tags) + " | " + meter.description + " |";
    }

    /** Returns the heading of the meters of this type, and their rows in the order of the enum. */
    private static Stream<String> rows(String heading, Meter.Type type) {
        return Stream.concat(
                Stream.of("### " + heading),
                Arrays.stream(MeterDefinition.values())
                        .filter(meter -> meter.type == type)
                        .map(MetricsDocumentTest::row));
    }

    @Test
    void documentHasEveryMeter() throws Exception {
        List<String> rows = Stream.of(
                        rows("Function counters", Meter.Type.COUNTER),
                        rows("Gauges", Meter.Type.GAUGE),
                        rows("Timer", Meter.Type.TIMER))
                .flatMap(Function.identity())
                .toList();

        assertThat(rows).hasSize(MeterDefinition.values().length + 3);
        assertThat(rows(METER))
                .as("headings and rows of meters, which ought to be:%n%s", String.join("\n", rows))
                .containsExactlyElementsOf(rows);
    }

    @Test
    void documentHasEveryTagWithItsValues() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        IwarpDevice device = IwarpDevice.create();
        new IwarpMeterBinder(IwarpMetrics.create(device)).bindTo(registry);
        IwarpMeterBinder.ofDomain(device.createProtectionDomain(), Tags.empty()).bindTo(registry);

        assertThat(rows(TAG)).hasSize(MeterDefinition.Tag.values().length);
        for (MeterDefinition.Tag tag : MeterDefinition.Tag.values()) {
            List<String> actual = registry.getMeters().stream()
                    .map(Meter::getId)
                    .map(id -> id.getTag(tag.key))
                    .filter(Objects::nonNull)
                    .distinct()
                    .toList();
            String documented = rows(TAG).stream()
                    .filter(row -> row.startsWith("| `" + tag.key + "` |"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no row of the tag " + tag.key));
            String values = documented.substring(documented.indexOf('|', 1));
            if (tag == MeterDefinition.Tag.CODE) {
                // Too many to name each; a rule tells them, with the first, the last and the odd one.
                assertThat(VALUE.matcher(values).results().map(found -> found.group(1)))
                        .as("values of %s", tag.key)
                        .hasSize(3)
                        .allMatch(actual::contains);
            } else {
                assertThat(VALUE.matcher(values).results().map(found -> found.group(1)))
                        .as("values of %s", tag.key)
                        .containsExactlyInAnyOrderElementsOf(actual);
            }
        }
    }
}
