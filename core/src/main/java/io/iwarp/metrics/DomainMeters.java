package io.iwarp.metrics;

import io.iwarp.memory.MemoryLimit;
import io.iwarp.memory.ProtectionDomain;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/**
 * Registers the memory of one {@link ProtectionDomain} with Micrometer: the {@link IwarpMeter}s whose names begin with
 * {@code iwarp.domain}. {@link IwarpMeters} has the meters of the device.
 *
 * <p>A domain has no name, so the application gives tags that distinguish its domains. Use few values: each is a time series.
 * The registry references the domain weakly.
 */
@SuppressWarnings("exports") // whoever uses it has Micrometer; others must not need it
public final class DomainMeters implements MeterBinder {
    private final ProtectionDomain domain;
    private final Tags common;

    /**
     * Creates the meters of a domain.
     *
     * @param domain the domain
     * @param common additional tags of each meter, for example the name of a tenant
     */
    public DomainMeters(ProtectionDomain domain, Tags common) {
        this.domain = domain;
        this.common = common;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, IwarpMeter.DOMAIN_REGISTERED, ProtectionDomain::registeredBytes);
        gauge(registry, IwarpMeter.DOMAIN_REGISTERED_LIMIT, d -> d.limits().maximumRegisteredBytes());
        gauge(registry, IwarpMeter.DOMAIN_REGIONS, ProtectionDomain::regions);
        gauge(registry, IwarpMeter.DOMAIN_REGIONS_LIMIT, d -> d.limits().maximumRegions());
        for (MemoryLimit limit : MemoryLimit.values()) {
            if (limit.ofDomain()) {
                FunctionCounter.builder(IwarpMeter.DOMAIN_REFUSED.getName(), domain, d -> d.refusals(limit))
                        .description(IwarpMeter.DOMAIN_REFUSED.description())
                        .baseUnit(IwarpMeter.DOMAIN_REFUSED.getBaseUnit())
                        .tags(common.and(IwarpMeter.Tag.LIMIT.asString(), limit.tag()))
                        .register(registry);
            }
        }
    }

    private void gauge(MeterRegistry registry, IwarpMeter meter, ToDoubleFunction<ProtectionDomain> value) {
        Gauge.builder(meter.getName(), domain, value)
                .description(meter.description())
                .baseUnit(meter.getBaseUnit())
                .tags(common)
                .register(registry);
    }
}
