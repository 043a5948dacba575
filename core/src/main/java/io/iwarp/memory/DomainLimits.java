package io.iwarp.memory;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits of one protection domain. They leave resources to the other domains of the {@link IwarpDevice}, whose own
 * limits apply as well. A request beyond a limit fails with {@link ResourceLimitException}. Start from {@link #DEFAULT}
 * and change what has to differ. Immutable; any thread may use it.
 */
public final class DomainLimits {
    /** The default limits. They are not stricter than the default limits of the device. */
    public static final DomainLimits DEFAULT = new DomainLimits(1 << 20, Long.MAX_VALUE);

    private final int maximumRegions;
    private final long maximumRegisteredBytes;

    private DomainLimits(int maximumRegions, long maximumRegisteredBytes) {
        if (maximumRegions < 1) {
            throw new IllegalArgumentException("maximumRegions of a domain is at least 1, not " + maximumRegions);
        }
        if (maximumRegisteredBytes < 1) {
            throw new IllegalArgumentException(
                    "maximumRegisteredBytes of a domain is at least 1, not " + maximumRegisteredBytes);
        }
        this.maximumRegions = maximumRegions;
        this.maximumRegisteredBytes = maximumRegisteredBytes;
    }

    /** Returns these limits with another {@link #maximumRegions()}, at least 1. */
    public DomainLimits withMaximumRegions(int maximum) {
        return new DomainLimits(maximum, maximumRegisteredBytes);
    }

    /** Returns these limits with another {@link #maximumRegisteredBytes()}, at least 1. */
    public DomainLimits withMaximumRegisteredBytes(long maximum) {
        return new DomainLimits(maximumRegions, maximum);
    }

    /**
     * Returns the maximum number of open regions, at least 1, default 1,048,576. The temporary sink of a Read counts
     * until the Read completes.
     */
    public int maximumRegions() {
        return maximumRegions;
    }

    /**
     * Returns the maximum number of bytes of all open regions together, at least 1. The default is 2^63 - 1, which is
     * no limit. A byte that is registered twice counts twice.
     */
    public long maximumRegisteredBytes() {
        return maximumRegisteredBytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DomainLimits that
                && maximumRegions == that.maximumRegions
                && maximumRegisteredBytes == that.maximumRegisteredBytes;
    }

    @Override
    public int hashCode() {
        return Objects.hash(maximumRegions, maximumRegisteredBytes);
    }

    /** Returns both limits with their names, in one line. */
    @Override
    public String toString() {
        return "DomainLimits{maximumRegions=" + maximumRegions + ", maximumRegisteredBytes="
                + (maximumRegisteredBytes == Long.MAX_VALUE ? "no limit" : maximumRegisteredBytes) + "}";
    }
}
