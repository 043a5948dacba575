package io.iwarp.memory;

/**
 * What one protection domain may have at most, so that its users leave something to the other domains of the
 * {@link IwarpDevice}, whose own limits hold as well. What goes beyond fails with {@link ResourceLimitException}.
 * Immutable; any thread may use it.
 *
 * @param maximumRegions regions open at the same time, at least 1. Default 1,048,576. The temporary sink of a Read counts
 *     while the Read is under way.
 * @param maximumRegisteredBytes bytes that all open regions have together, at least 1. Default 2^63 - 1, which is no
 *     limit. A byte that is registered twice counts twice.
 */
public record DomainLimits(int maximumRegions, long maximumRegisteredBytes) {
    /** The defaults, which bound no domain more than the defaults of the device do. */
    public static final DomainLimits DEFAULT = new DomainLimits(1 << 20, Long.MAX_VALUE);

    /** Checks the ranges. */
    public DomainLimits {
        if (maximumRegions < 1) {
            throw new IllegalArgumentException("maximumRegions of a domain is at least 1, not " + maximumRegions);
        }
        if (maximumRegisteredBytes < 1) {
            throw new IllegalArgumentException(
                    "maximumRegisteredBytes of a domain is at least 1, not " + maximumRegisteredBytes);
        }
    }

    /** {@return these limits with another number of regions, at least 1} */
    public DomainLimits withMaximumRegions(int maximum) {
        return new DomainLimits(maximum, maximumRegisteredBytes);
    }

    /** {@return these limits with another number of bytes, at least 1} */
    public DomainLimits withMaximumRegisteredBytes(long maximum) {
        return new DomainLimits(maximumRegions, maximum);
    }
}
