package io.iwarp.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.Counters;
import io.iwarp.Operation;
import io.iwarp.Role;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.DomainLimits;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.StreamAssociation;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class IwarpMetersTest {
    private static final int MAX_VALUES_OF_A_TAG = 40;

    private final IwarpDevice device = IwarpDevice.builder()
            .maximumRegions(2)
            .maximumWindows(3)
            .maximumRegisteredBytes(1000)
            .maximumPartialFpduBytes(2_000_000)
            .maximumManagedReceiveBytes(3_000_000)
            .build();
    private final IwarpMetrics metrics = new IwarpMetrics(device);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double value(IwarpMeter meter) {
        return registry.get(meter.getName()).meter().measure().iterator().next().getValue();
    }

    @Test
    void everyMeterIsRegisteredAsItIsDocumented() {
        new IwarpMeters(metrics).bindTo(registry);
        new DomainMeters(device.allocateProtectionDomain(), Tags.empty()).bindTo(registry);

        for (IwarpMeter meter : IwarpMeter.values()) {
            RequiredSearch found = registry.get(meter.getName());
            assertThat(
                            switch (meter.getType()) {
                                case COUNTER -> found.functionCounters();
                                case GAUGE -> found.gauges();
                                case TIMER -> found.timers();
                                default -> throw new AssertionError("the page has no type for " + meter);
                            })
                    .isNotEmpty();
            assertThat(registry.find(meter.getName()).meters())
                    .as(meter.getName())
                    .isNotEmpty()
                    .allSatisfy(registered -> {
                        Meter.Id id = registered.getId();
                        assertThat(id.getType()).isEqualTo(meter.getType());
                        assertThat(id.getBaseUnit()).isEqualTo(meter.getBaseUnit());
                        assertThat(id.getDescription()).isEqualTo(meter.description());
                        assertThat(id.getTags())
                                .extracting(Tag::getKey)
                                .containsExactlyInAnyOrderElementsOf(Arrays.stream(meter.getKeyNames())
                                        .map(key -> key.asString())
                                        .toList());
                    });
        }
        Set<String> documented =
                Arrays.stream(IwarpMeter.values()).map(IwarpMeter::getName).collect(Collectors.toSet());
        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .allMatch(documented::contains);
    }

    @Test
    void everyCounterOfAConnectionHasAMeter() {
        for (Counter counter : Counter.values()) {
            assertThat(IwarpMeter.of(counter).getName()).isEqualTo(counter.meterName());
        }
    }

    @Test
    void namesAreDottedLowerCaseAndTagsHaveFewValues() {
        new IwarpMeters(metrics).bindTo(registry);

        assertThat(IwarpMeter.values())
                .extracting(IwarpMeter::getName)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("iwarp(\\.[a-z]+)+"), "iwarp.dotted.lower.case");
        for (Meter meter : registry.getMeters()) {
            for (Tag tag : meter.getId().getTags()) {
                Set<String> values = new TreeSet<>();
                registry.getMeters().forEach(other -> {
                    String value = other.getId().getTag(tag.getKey());
                    if (value != null) {
                        values.add(value);
                    }
                });
                assertThat(values).as(tag.getKey()).hasSizeLessThan(MAX_VALUES_OF_A_TAG);
            }
        }
    }

    @Test
    void tagsOfTheApplicationAreAdded() {
        new IwarpMeters(metrics, Tags.of("device", "left")).bindTo(registry);

        assertThat(registry.getMeters())
                .isNotEmpty()
                .allMatch(meter -> "left".equals(meter.getId().getTag("device")));
    }

    @Test
    void memoryAndItsLimitsShow() {
        new IwarpMeters(metrics).bindTo(registry);
        ByteBuf memory = Unpooled.directBuffer(600, 600);
        ProtectionDomain domain = device.allocateProtectionDomain();
        MemoryRegion region = domain.register(memory, AccessRight.REMOTE_READ, AccessRight.LOCAL_WRITE);
        StreamAssociation stream = domain.openStream();
        try {
            assertThat(value(IwarpMeter.MEMORY_REGISTERED)).isEqualTo(600);
            assertThat(value(IwarpMeter.MEMORY_REGISTERED_LIMIT)).isEqualTo(1000);
            assertThat(value(IwarpMeter.MEMORY_REGIONS)).isOne();
            assertThat(value(IwarpMeter.MEMORY_REGIONS_LIMIT)).isEqualTo(2);
            assertThat(value(IwarpMeter.MEMORY_WINDOWS)).isZero();
            assertThat(value(IwarpMeter.MEMORY_WINDOWS_LIMIT)).isEqualTo(3);
            assertThat(value(IwarpMeter.STAGS_RETIRED)).isZero();
            assertThat(device.reservePartialFpdu(70, 0)).isTrue();
            assertThat(stream.reserveManagedReceive(80, 0)).isTrue();
            assertThat(value(IwarpMeter.MEMORY_INPUT)).isEqualTo(70);
            assertThat(value(IwarpMeter.MEMORY_INPUT_LIMIT)).isEqualTo(2_000_000);
            assertThat(value(IwarpMeter.MEMORY_MANAGED)).isEqualTo(80);
            assertThat(value(IwarpMeter.MEMORY_MANAGED_LIMIT)).isEqualTo(3_000_000);
        } finally {
            stream.close();
            region.close();
            domain.close();
            memory.release();
        }
        assertThat(value(IwarpMeter.MEMORY_REGISTERED)).isZero();
        assertThat(value(IwarpMeter.MEMORY_REGIONS)).isZero();
        assertThat(value(IwarpMeter.STAGS_RETIRED)).isOne();
        assertThat(value(IwarpMeter.STAGS_QUARANTINED)).isOne();
    }

    @Test
    void whatALimitRefusesShowsUnderThatLimit() {
        new IwarpMeters(metrics).bindTo(registry);
        ProtectionDomain poor = device.allocateProtectionDomain(
                DomainLimits.DEFAULT.withMaximumRegions(1).withMaximumRegisteredBytes(700));
        new DomainMeters(poor, Tags.of("tenant", "poor")).bindTo(registry);
        ProtectionDomain rich = device.allocateProtectionDomain();
        ByteBuf memory = Unpooled.directBuffer(600, 600);
        ByteBuf more = Unpooled.directBuffer(701, 701);
        assertThatThrownBy(() -> poor.register(more)).hasMessageContaining("DomainLimits.maximumRegisteredBytes");
        MemoryRegion region = poor.register(memory, AccessRight.REMOTE_READ);
        assertThatThrownBy(() -> poor.register(memory)).hasMessageContaining("DomainLimits.maximumRegions");
        assertThatThrownBy(() -> rich.register(memory)).hasMessageContaining("maximumRegisteredBytes of the device");
        assertThat(value(IwarpMeter.DOMAIN_REGISTERED)).isEqualTo(600);
        assertThat(value(IwarpMeter.DOMAIN_REGISTERED_LIMIT)).isEqualTo(700);
        assertThat(value(IwarpMeter.DOMAIN_REGIONS)).isOne();
        assertThat(value(IwarpMeter.DOMAIN_REGIONS_LIMIT)).isOne();
        Map<String, Double> refused = new HashMap<>();
        registry.get(IwarpMeter.MEMORY_REFUSED.getName())
                .functionCounters()
                .forEach(counter -> refused.put(counter.getId().getTag("limit"), counter.count()));
        assertThat(refused)
                .isEqualTo(Map.of(
                        "regions", 0.0,
                        "windows", 0.0,
                        "registered_bytes", 1.0,
                        "domain_regions", 1.0,
                        "domain_registered_bytes", 1.0));
        assertThat(registry.get(IwarpMeter.DOMAIN_REFUSED.getName())
                        .tags("tenant", "poor")
                        .functionCounters())
                .hasSize(2)
                .allMatch(counter -> counter.count() == 1);
        region.close();
        assertThat(value(IwarpMeter.DOMAIN_REGISTERED)).isZero();
        memory.release();
        more.release();
    }

    @Test
    void countersOfOneConnectionReachTheRegistry() {
        new IwarpMeters(metrics).bindTo(registry);
        Counters counters = new Counters();
        counters.add(Counter.CRC_ERRORS, 2);
        ConnectionMetrics connection =
                metrics.enter(Role.RESPONDER, new CountersOnly(counters), Thread.currentThread());
        connection.took(Operation.SEND, 3_000_000_000L);

        assertThat(value(IwarpMeter.CRC_ERRORS)).isEqualTo(2);
        connection.took(Operation.SEND, -1);
        Timer timer = registry.get(IwarpMeter.OPERATIONS_LATENCY.getName())
                .tag("operation", "send")
                .timer();
        assertThat(timer.count()).isEqualTo(2);
        assertThat(timer.totalTime(TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(timer.max(TimeUnit.SECONDS)).isEqualTo(3);
    }

    /** A second registry gets everything too; the same registry does not get it twice. */
    @Test
    void eachRegistryGetsEachTimeOnce() {
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        new IwarpMeters(metrics).bindTo(registry);
        new IwarpMeters(metrics).bindTo(registry);
        new IwarpMeters(metrics).bindTo(other);
        metrics.enter(Role.INITIATOR, new CountersOnly(new Counters()), this).took(Operation.READ, 1000);
        for (SimpleMeterRegistry each : new SimpleMeterRegistry[] {registry, other}) {
            assertThat(each.get(IwarpMeter.OPERATIONS_LATENCY.getName())
                            .tag("operation", "read")
                            .timer()
                            .count())
                    .isOne();
        }
    }

    record CountersOnly(Counters counters) implements ConnectionGauges {
        @Override
        public ConnectionState connectionState() {
            return ConnectionState.READY;
        }

        @Override
        public int sendRequests() {
            return 0;
        }

        @Override
        public int queuedSendRequests() {
            return 0;
        }

        @Override
        public int sendQueueDepth() {
            return 0;
        }

        @Override
        public int receiveRequests() {
            return 0;
        }

        @Override
        public int receiveQueueDepth() {
            return 0;
        }
    }
}
