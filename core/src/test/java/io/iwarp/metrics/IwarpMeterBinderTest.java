package io.iwarp.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.Operation;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.metrics.DefaultIwarpMetrics;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.DomainLimits;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
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

class IwarpMeterBinderTest {
    private static final int MAX_VALUES_OF_A_TAG = 40;
    static final DefaultIwarpMetrics.Gauges IDLE = new DefaultIwarpMetrics.Gauges(ConnectionState.READY, 0, 0, 0, 0, 0);

    private final IwarpDevice device = IwarpDevice.builder()
            .maxRegions(2)
            .maxWindows(3)
            .maxRegisteredBytes(1000)
            .maxPartialFpduBytes(2_000_000)
            .maxManagedReceiveBytes(3_000_000)
            .maxSendingBytes(4_000_000)
            .build();
    private final DefaultIwarpMetrics metrics = new DefaultIwarpMetrics(device, LatencySampling.DEFAULT);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double value(MeterDefinition meter) {
        return registry.get(meter.meterName).meter().measure().iterator().next().getValue();
    }

    @Test
    void everyMeterIsRegisteredAsItIsDocumented() {
        new IwarpMeterBinder(metrics).bindTo(registry);
        IwarpMeterBinder.ofDomain(device.createProtectionDomain(), Tags.empty()).bindTo(registry);

        for (MeterDefinition meter : MeterDefinition.values()) {
            RequiredSearch found = registry.get(meter.meterName);
            assertThat(
                            switch (meter.type) {
                                case COUNTER -> found.functionCounters();
                                case GAUGE -> found.gauges();
                                case TIMER -> found.timers();
                                default -> throw new AssertionError("the page has no type for " + meter);
                            })
                    .isNotEmpty();
            assertThat(registry.find(meter.meterName).meters())
                    .as(meter.meterName)
                    .isNotEmpty()
                    .allSatisfy(registered -> {
                        Meter.Id id = registered.getId();
                        assertThat(id.getType()).isEqualTo(meter.type);
                        assertThat(id.getBaseUnit()).isEqualTo(meter.baseUnit);
                        assertThat(id.getDescription()).isEqualTo(meter.description);
                        assertThat(id.getTags())
                                .extracting(Tag::getKey)
                                .containsExactlyInAnyOrderElementsOf(
                                        meter.tags.stream().map(key -> key.key).toList());
                    });
        }
        Set<String> documented = Arrays.stream(MeterDefinition.values())
                .map(meter -> meter.meterName)
                .collect(Collectors.toSet());
        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .allMatch(documented::contains);
    }

    @Test
    void everyCounterOfAConnectionHasAMeter() {
        for (Counter counter : Counter.values()) {
            assertThat(MeterDefinition.values())
                    .as("%s", counter)
                    .filteredOn(meter -> meter.meterName.equals(counter.meterName()))
                    .hasSize(1);
        }
    }

    @Test
    void namesAreDottedLowerCaseAndTagsHaveFewValues() {
        new IwarpMeterBinder(metrics).bindTo(registry);

        assertThat(MeterDefinition.values())
                .extracting(meter -> meter.meterName)
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
        new IwarpMeterBinder(metrics, Tags.of("device", "left")).bindTo(registry);

        assertThat(registry.getMeters())
                .isNotEmpty()
                .allMatch(meter -> "left".equals(meter.getId().getTag("device")));
    }

    @Test
    void memoryAndItsLimitsShow() {
        new IwarpMeterBinder(metrics).bindTo(registry);
        ByteBuf memory = Unpooled.directBuffer(600, 600);
        ProtectionDomain domain = device.createProtectionDomain();
        MemoryRegion region = domain.register(memory, AccessRight.REMOTE_READ, AccessRight.LOCAL_WRITE);
        StreamAssociation stream = StreamAssociation.open(domain);
        try {
            assertThat(value(MeterDefinition.MEMORY_REGISTERED)).isEqualTo(600);
            assertThat(value(MeterDefinition.MEMORY_REGISTERED_LIMIT)).isEqualTo(1000);
            assertThat(value(MeterDefinition.MEMORY_REGIONS)).isOne();
            assertThat(value(MeterDefinition.MEMORY_REGIONS_LIMIT)).isEqualTo(2);
            assertThat(value(MeterDefinition.MEMORY_WINDOWS)).isZero();
            assertThat(value(MeterDefinition.MEMORY_WINDOWS_LIMIT)).isEqualTo(3);
            assertThat(value(MeterDefinition.STAGS_RETIRED)).isZero();
            stream.inputBudget().reserveBeyondLimit(70);
            stream.managedReceiveBudget().reserveBeyondLimit(80);
            assertThat(value(MeterDefinition.MEMORY_INPUT)).isEqualTo(70);
            assertThat(value(MeterDefinition.MEMORY_INPUT_LIMIT)).isEqualTo(2_000_000);
            assertThat(value(MeterDefinition.MEMORY_MANAGED)).isEqualTo(80);
            assertThat(value(MeterDefinition.MEMORY_MANAGED_LIMIT)).isEqualTo(3_000_000);
            assertThat(stream.sendReservation().grow()).isTrue();
            assertThat(value(MeterDefinition.MEMORY_SENDING)).isEqualTo(128 * 1024);
            assertThat(value(MeterDefinition.MEMORY_SENDING_LIMIT)).isEqualTo(4_000_000);
        } finally {
            stream.close();
            region.close();
            domain.close();
            memory.release();
        }
        assertThat(value(MeterDefinition.MEMORY_REGISTERED)).isZero();
        assertThat(value(MeterDefinition.MEMORY_REGIONS)).isZero();
        assertThat(value(MeterDefinition.STAGS_RETIRED)).isOne();
        assertThat(value(MeterDefinition.STAGS_QUARANTINED)).isOne();
    }

    @Test
    void refusalsCountUnderTheirLimit() {
        new IwarpMeterBinder(metrics).bindTo(registry);
        ProtectionDomain poor = device.createProtectionDomain(
                DomainLimits.builder().maxRegions(1).maxRegisteredBytes(700).build());
        IwarpMeterBinder.ofDomain(poor, Tags.of("tenant", "poor")).bindTo(registry);
        ProtectionDomain rich = device.createProtectionDomain();
        ByteBuf memory = Unpooled.directBuffer(600, 600);
        ByteBuf more = Unpooled.directBuffer(701, 701);
        assertThatThrownBy(() -> poor.register(more)).hasMessageContaining("DomainLimits.maxRegisteredBytes");
        MemoryRegion region = poor.register(memory, AccessRight.REMOTE_READ);
        assertThatThrownBy(() -> poor.register(memory)).hasMessageContaining("DomainLimits.maxRegions");
        assertThatThrownBy(() -> rich.register(memory)).hasMessageContaining("maxRegisteredBytes of the device");
        assertThat(value(MeterDefinition.DOMAIN_REGISTERED)).isEqualTo(600);
        assertThat(value(MeterDefinition.DOMAIN_REGISTERED_LIMIT)).isEqualTo(700);
        assertThat(value(MeterDefinition.DOMAIN_REGIONS)).isOne();
        assertThat(value(MeterDefinition.DOMAIN_REGIONS_LIMIT)).isOne();
        Map<String, Double> refused = new HashMap<>();
        registry.get(MeterDefinition.MEMORY_REFUSED.meterName)
                .functionCounters()
                .forEach(counter -> refused.put(counter.getId().getTag("limit"), counter.count()));
        assertThat(refused)
                .isEqualTo(Map.of(
                        "regions", 0.0,
                        "windows", 0.0,
                        "registered_bytes", 1.0,
                        "domain_regions", 1.0,
                        "domain_registered_bytes", 1.0));
        assertThat(registry.get(MeterDefinition.DOMAIN_REFUSED.meterName)
                        .tags("tenant", "poor")
                        .functionCounters())
                .hasSize(2)
                .allMatch(counter -> counter.count() == 1);
        region.close();
        assertThat(value(MeterDefinition.DOMAIN_REGISTERED)).isZero();
        memory.release();
        more.release();
    }

    @Test
    void countersOfOneConnectionReachTheRegistry() {
        new IwarpMeterBinder(metrics).bindTo(registry);
        ConnectionCounters counters = new ConnectionCounters();
        counters.add(Counter.CRC_ERRORS, 2);
        DefaultIwarpMetrics.Connection connection = metrics.addConnection(Role.RESPONDER, counters, () -> IDLE, this);
        connection.onLatency(Operation.SEND, 3_000_000_000L);

        assertThat(value(MeterDefinition.CRC_ERRORS)).isEqualTo(2);
        connection.onLatency(Operation.SEND, -1);
        Timer timer = registry.get(MeterDefinition.OPERATIONS_LATENCY.meterName)
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
        new IwarpMeterBinder(metrics).bindTo(registry);
        new IwarpMeterBinder(metrics).bindTo(registry);
        new IwarpMeterBinder(metrics).bindTo(other);
        metrics.addConnection(Role.INITIATOR, new ConnectionCounters(), () -> IDLE, this)
                .onLatency(Operation.READ, 1000);
        for (SimpleMeterRegistry each : new SimpleMeterRegistry[] {registry, other}) {
            assertThat(each.get(MeterDefinition.OPERATIONS_LATENCY.meterName)
                            .tag("operation", "read")
                            .timer()
                            .count())
                    .isOne();
        }
    }
}
