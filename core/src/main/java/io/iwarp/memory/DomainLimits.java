package io.iwarp.memory;

import io.iwarp.internal.Setting;
import io.iwarp.internal.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Limits of one protection domain. They keep it from using up what all domains of the {@link IwarpDevice} share; the
 * limits of the device apply as well. A request beyond a limit fails with {@link ResourceLimitException}. Make them
 * with {@link #builder()}. Immutable; any thread may use it.
 */
public final class DomainLimits {
    /** The default limits. They are not stricter than the default limits of the device. */
    public static final DomainLimits DEFAULT = new DomainLimits(Settings.DEFAULT);

    private final Settings values;

    private DomainLimits(Settings values) {
        this.values = values;
    }

    /** Returns a builder with the default limits. */
    public static Builder builder() {
        return new Builder();
    }

    private static final Setting<Integer> MAX_REGIONS = Setting.atLeast("maxRegions", 1 << 20, 1);

    /**
     * Returns the maximum number of registered regions, at least 1, default 1,048,576. The temporary sink of a Read
     * counts until the Read completes.
     */
    public int maxRegions() {
        return values.get(MAX_REGIONS);
    }

    private static final Setting<Long> MAX_REGISTERED_BYTES = Setting.atLeast("maxRegisteredBytes", Long.MAX_VALUE, 1L);

    /**
     * Returns the maximum number of bytes of all registered regions together, at least 1. The default is 2^63 - 1,
     * which is no limit. A byte that is registered twice counts twice.
     */
    public long maxRegisteredBytes() {
        return values.get(MAX_REGISTERED_BYTES);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DomainLimits that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Returns the limits that differ from their defaults, with their names, in one line. */
    @Override
    public String toString() {
        return "DomainLimits" + values;
    }

    /** Sets the limits of a domain. A builder belongs to one thread. */
    public static final class Builder {
        private Settings values = Settings.DEFAULT;

        private Builder() {}

        private <T> Builder set(Setting<T> limit, T max) {
            values = values.with(limit, max);
            return this;
        }

        /**
         * Sets {@link DomainLimits#maxRegions()}.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder maxRegions(int max) {
            return set(MAX_REGIONS, max);
        }

        /**
         * Sets {@link DomainLimits#maxRegisteredBytes()}.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder maxRegisteredBytes(long max) {
            return set(MAX_REGISTERED_BYTES, max);
        }

        /** Returns these limits. */
        public DomainLimits build() {
            return new DomainLimits(values);
        }
    }
}
