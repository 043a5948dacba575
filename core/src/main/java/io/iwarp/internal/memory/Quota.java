package io.iwarp.internal.memory;

import io.iwarp.memory.DomainLimits;
import io.iwarp.memory.MemoryLimit;
import io.iwarp.memory.ResourceLimitException;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Two limits that a reservation must meet together: a number of regions or windows, and their bytes. The quota of a
 * domain is part of the quota of its device, whose limits apply too. Any thread may call any method.
 */
final class Quota {
    private final MemoryLimit limit;
    private final int max;
    private final MemoryLimit byteLimit;
    private final long maxBytes;
    private final @Nullable Quota ofDevice;
    private final Map<MemoryLimit, LongAdder> deviceRefusals;
    private int count;
    private long bytes;
    private long refusals;
    private long byteRefusals;

    /**
     * Creates the quota of a device, of which nothing is reserved.
     *
     * @param deviceRefusals counts the refusals of all quotas of the device
     */
    Quota(
            MemoryLimit limit,
            int max,
            MemoryLimit byteLimit,
            long maxBytes,
            Map<MemoryLimit, LongAdder> deviceRefusals) {
        this(limit, max, byteLimit, maxBytes, null, deviceRefusals);
    }

    private Quota(
            MemoryLimit limit,
            int max,
            MemoryLimit byteLimit,
            long maxBytes,
            @Nullable Quota ofDevice,
            Map<MemoryLimit, LongAdder> deviceRefusals) {
        this.limit = limit;
        this.max = max;
        this.byteLimit = byteLimit;
        this.maxBytes = maxBytes;
        this.ofDevice = ofDevice;
        this.deviceRefusals = deviceRefusals;
    }

    /** Returns a quota for the regions of a domain. Its reservations count against this quota as well. */
    Quota ofDomain(DomainLimits limits) {
        return new Quota(
                MemoryLimit.DOMAIN_REGIONS,
                limits.maxRegions(),
                MemoryLimit.DOMAIN_REGISTERED_BYTES,
                limits.maxRegisteredBytes(),
                this,
                deviceRefusals);
    }

    /** Reserves one region or window with its bytes, or throws and reserves nothing. */
    synchronized void reserve(long length) {
        if (count == max) {
            refusals++;
            throw refused(limit, max, count, 1);
        }
        if (length > maxBytes - bytes) {
            byteRefusals++;
            throw refused(byteLimit, maxBytes, bytes, length);
        }
        if (ofDevice != null) {
            ofDevice.reserve(length);
        }
        count++;
        bytes += length;
    }

    private ResourceLimitException refused(MemoryLimit reached, long maximum, long inUse, long asked) {
        deviceRefusals.computeIfAbsent(reached, limit -> new LongAdder()).increment();
        boolean ofDomain = reached.ofDomain();
        String setting = reached.setting();
        return new ResourceLimitException(
                setting + " of " + (ofDomain ? "the protection domain" : "the device") + " is " + maximum
                        + ", of which " + inUse + " are in use and " + asked
                        + " more were requested; close unused regions, or "
                        + (ofDomain ? "create the domain" : "build the device") + " with a higher " + setting,
                setting,
                maximum);
    }

    /** Ends a reservation. */
    synchronized void release(long length) {
        if (ofDevice != null) {
            ofDevice.release(length);
        }
        count--;
        bytes -= length;
    }

    /** Returns the number of reservations. */
    synchronized int count() {
        return count;
    }

    /** Returns the bytes of all reservations together. */
    synchronized long bytes() {
        return bytes;
    }

    /** Returns how many reservations this quota has refused because a limit was reached. */
    synchronized long refusals(MemoryLimit of) {
        return of == limit ? refusals : of == byteLimit ? byteRefusals : 0;
    }
}
