package io.iwarp.memory;

import io.iwarp.internal.Setting;
import io.iwarp.internal.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Limits of one protection domain. They leave resources to the other domains of the {@link IwarpDevice}, whose own
 * limits apply as well. A request beyond a limit fails with {@link ResourceLimitException}. Start from {@link #DEFAULT}
 * and change what has to differ. Immutable; any thread may use it.
 */
public final class DomainLimits {
    /** The default limits. They are not stricter than the default limits of the device. */
    public static final DomainLimits DEFAULT = new DomainLimits(Settings.DEFAULT);

    private final Settings values;

    private DomainLimits(Settings values) {
        this.values = values;
    }

    private static final Setting<Integer> MAXIMUM_REGIONS = Setting.atLeast("maximumRegions", 1 << 20, 1);

    /**
     * Returns the maximum number of open regions, at least 1, default 1,048,576. The temporary sink of a Read counts
     * until the Read completes.
     */
    public int maximumRegions() {
        return values.get(MAXIMUM_REGIONS);
    }

    /** Returns these limits with another {@link #maximumRegions()}, at least 1. */
    public DomainLimits withMaximumRegions(int maximum) {
        return new DomainLimits(values.with(MAXIMUM_REGIONS, maximum));
    }

    private static final Setting<Long> MAXIMUM_REGISTERED_BYTES =
            Setting.atLeast("maximumRegisteredBytes", Long.MAX_VALUE, 1L);

    /**
     * Returns the maximum number of bytes of all open regions together, at least 1. The default is 2^63 - 1, which is
     * no limit. A byte that is registered twice counts twice.
     */
    public long maximumRegisteredBytes() {
        return values.get(MAXIMUM_REGISTERED_BYTES);
    }

    /** Returns these limits with another {@link #maximumRegisteredBytes()}, at least 1. */
    public DomainLimits withMaximumRegisteredBytes(long maximum) {
        return new DomainLimits(values.with(MAXIMUM_REGISTERED_BYTES, maximum));
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
}
