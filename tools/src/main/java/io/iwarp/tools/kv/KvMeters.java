package io.iwarp.tools.kv;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;

/** The meters of a cache, in addition to those of the stack. */
public final class KvMeters implements MeterBinder {
    private final KvStore store;

    /**
     * @param store asked each time that the registry is scraped
     */
    public KvMeters(KvStore store) {
        this.store = store;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("kv.entries", store, KvStore::entries)
                .description("Keys in the cache")
                .register(registry);
        Gauge.builder("kv.entries.limit", store, KvStore::mostEntries)
                .description("Keys that the cache has room for")
                .register(registry);
        Gauge.builder("kv.values", store, KvStore::usedBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("Bytes of keys and values")
                .register(registry);
        Gauge.builder("kv.values.limit", store, KvStore::mostBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("Bytes that the cache has for keys and values")
                .register(registry);
        FunctionCounter.builder("kv.puts", store, KvStore::puts)
                .description("Values stored")
                .register(registry);
        FunctionCounter.builder("kv.puts.refused", store, KvStore::refusals)
                .description("Values that there was no room for")
                .register(registry);
    }
}
