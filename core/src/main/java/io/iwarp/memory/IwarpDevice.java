package io.iwarp.memory;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The owner of what protection domains share: the STags and the limits on registered memory. It is the resource manager
 * of RFC 5042 section 3 and the context of the verbs. A device exists in this process only; it stands for no hardware,
 * has no threads and need not be closed.
 *
 * <p>STags are drawn from {@link SecureRandom} over the whole range of 32 bits but 0, so that a peer cannot guess one,
 * and one that was retired is not handed out again before 65,536 later ones were (RFC 5040 section 8.1.1 rule 8).
 *
 * <p>Applications that do not trust each other should not share a device, as one could use up the limits of all unless
 * {@link DomainLimits} bound it; by default {@link ProtectionDomain#create} gives each domain its own. Any thread may call any method.
 */
public final class IwarpDevice {
    private final int maximumRegions;
    private final int maximumWindows;
    private final long maximumRegisteredBytes;
    private final long maximumPartialFpduBytes;
    private final AtomicLong partialFpduBytes = new AtomicLong();
    private final Random random;
    private final STagTable table = new STagTable();
    /** Guards changes of the table, and all below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final RetiredSTags retired = new RetiredSTags();
    private int regions;
    private int windows;
    private long registeredBytes;
    private long retiredSTags;
    private final long[] refusals = new long[MemoryLimit.values().length];

    IwarpDevice(Builder builder, Random random) {
        this.maximumRegions = builder.maximumRegions;
        this.maximumWindows = builder.maximumWindows;
        this.maximumRegisteredBytes = builder.maximumRegisteredBytes;
        this.maximumPartialFpduBytes = builder.maximumPartialFpduBytes;
        this.random = random;
    }

    /** A device with the default limits. */
    public static IwarpDevice create() {
        return builder().build();
    }

    /** A builder that stands at the default limits. */
    public static Builder builder() {
        return new Builder();
    }

    /** A new protection domain whose STags are those of this device, and which only the limits of the device bound. */
    public ProtectionDomain allocateProtectionDomain() {
        return allocateProtectionDomain(DomainLimits.DEFAULT);
    }

    /** A new protection domain with limits of its own, besides those of this device. */
    public ProtectionDomain allocateProtectionDomain(DomainLimits limits) {
        return new ProtectionDomain(this, limits);
    }

    /** How many regions may be open at the same time. */
    public int maximumRegions() {
        return maximumRegions;
    }

    /** How many windows may be bound at the same time. */
    public int maximumWindows() {
        return maximumWindows;
    }

    /** How many windows are bound now. */
    public int windows() {
        lock.lock();
        try {
            return windows;
        } finally {
            lock.unlock();
        }
    }

    /** How many bytes all open regions together may have. */
    public long maximumRegisteredBytes() {
        return maximumRegisteredBytes;
    }

    /** How many regions are open now. */
    public int regions() {
        lock.lock();
        try {
            return regions;
        } finally {
            lock.unlock();
        }
    }

    /** How many bytes all open regions together have now. */
    public long registeredBytes() {
        lock.lock();
        try {
            return registeredBytes;
        } finally {
            lock.unlock();
        }
    }

    /** How many bytes of buffers all streams together may hold for FPDUs whose rest has not come yet. */
    public long maximumPartialFpduBytes() {
        return maximumPartialFpduBytes;
    }

    /** How many bytes of buffers all streams together hold now for FPDUs whose rest has not come yet. */
    public long partialFpduBytes() {
        return partialFpduBytes.get();
    }

    /**
     * Counts bytes of a buffer for an FPDU whose rest has not come yet. MPA calls this.
     *
     * @return whether the limit leaves room for them; if not, nothing was counted
     */
    public boolean reservePartialFpdu(long bytes) {
        long held = partialFpduBytes.addAndGet(bytes);
        if (held <= maximumPartialFpduBytes) {
            return true;
        }
        partialFpduBytes.addAndGet(-bytes);
        return false;
    }

    /** Takes back what {@link #reservePartialFpdu} counted. */
    public void unreservePartialFpdu(long bytes) {
        partialFpduBytes.addAndGet(-bytes);
    }

    /** How many STags were retired so far: of regions that were closed, and windows that were unbound. */
    public long retiredSTags() {
        lock.lock();
        try {
            return retiredSTags;
        } finally {
            lock.unlock();
        }
    }

    /** How many retired STags are kept from being handed out again now, 0 to 65,536. */
    public int quarantinedSTags() {
        lock.lock();
        try {
            return retired.size();
        } finally {
            lock.unlock();
        }
    }

    /** How many times a region or window was refused because a limit was reached, so far. */
    public long refusals() {
        lock.lock();
        try {
            return Arrays.stream(refusals).sum();
        } finally {
            lock.unlock();
        }
    }

    /** How many times a region or window was refused because this limit was reached, so far; in any domain. */
    public long refusals(MemoryLimit limit) {
        lock.lock();
        try {
            return refusals[limit.slot()];
        } finally {
            lock.unlock();
        }
    }

    /** Counts a refusal. */
    ResourceLimitException refused(MemoryLimit limit, long maximum, long inUse, long asked) {
        lock.lock();
        try {
            refusals[limit.slot()]++;
        } finally {
            lock.unlock();
        }
        return limit.exceeded(maximum, inUse, asked);
    }

    /** Counts one more region against the limits, or throws and counts nothing. */
    void reserve(long bytes) {
        lock.lock();
        try {
            if (regions == maximumRegions) {
                throw refused(MemoryLimit.REGIONS, maximumRegions, regions, 1);
            }
            if (bytes > maximumRegisteredBytes - registeredBytes) {
                throw refused(MemoryLimit.REGISTERED_BYTES, maximumRegisteredBytes, registeredBytes, bytes);
            }
            regions++;
            registeredBytes += bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Takes back what {@link #reserve} counted. */
    void unreserve(long bytes) {
        lock.lock();
        try {
            regions--;
            registeredBytes -= bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Counts one more window against the limit, or throws and counts nothing. */
    void reserveWindow() {
        lock.lock();
        try {
            if (windows == maximumWindows) {
                throw refused(MemoryLimit.WINDOWS, maximumWindows, windows, 1);
            }
            windows++;
        } finally {
            lock.unlock();
        }
    }

    /** Takes back what {@link #reserveWindow} counted. */
    void unreserveWindow() {
        lock.lock();
        try {
            windows--;
        } finally {
            lock.unlock();
        }
    }

    /** Gives part of a memory a new STag, by which it can be found from now on. */
    TaggedBuffer issue(
            ProtectionDomain domain,
            @Nullable StreamAssociation scope,
            int rightBits,
            long baseTaggedOffset,
            RegionMemory memory,
            long memoryOffset,
            long length) {
        lock.lock();
        try {
            TaggedBuffer buffer = new TaggedBuffer(
                    drawSTag(), domain, scope, rightBits, baseTaggedOffset, memory, memoryOffset, length);
            table.add(buffer);
            return buffer;
        } finally {
            lock.unlock();
        }
    }

    /** Makes an STag unknown. Called once for each tagged buffer, after it was revoked. */
    void retire(TaggedBuffer buffer) {
        lock.lock();
        try {
            table.remove(buffer);
            retired.add(buffer.stag());
            retiredSTags++;
        } finally {
            lock.unlock();
        }
    }

    /** The buffer that this STag names in any domain of the device, or null. Takes no lock, allocates nothing. */
    @Nullable
    TaggedBuffer find(int stag) {
        return table.find(stag);
    }

    private int drawSTag() {
        int stag;
        do {
            stag = random.nextInt();
        } while (stag == 0 || table.find(stag) != null || retired.contains(stag));
        return stag;
    }

    /** Sets the limits of a device. A builder belongs to one thread. */
    public static final class Builder {
        private static final int DEFAULT_MAXIMUM_REGIONS = 1 << 20;
        private static final int DEFAULT_MAXIMUM_WINDOWS = 1 << 20;
        private static final int LEAST_PARTIAL_FPDU_BYTES = 65_792;

        private int maximumRegions = DEFAULT_MAXIMUM_REGIONS;
        private int maximumWindows = DEFAULT_MAXIMUM_WINDOWS;
        private long maximumRegisteredBytes = Long.MAX_VALUE;
        private long maximumPartialFpduBytes = Long.MAX_VALUE;

        private Builder() {}

        /**
         * How many regions may be open at the same time. Default 1,048,576. A region costs some 400 bytes beside its
         * memory, so the default bounds that to some 400 MiB.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maximumRegions(int maximum) {
            if (maximum < 1) {
                throw new IllegalArgumentException("maximumRegions is at least 1, not " + maximum);
            }
            this.maximumRegions = maximum;
            return this;
        }

        /**
         * How many windows may be bound at the same time. Default 1,048,576. A window costs some 300 bytes.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maximumWindows(int maximum) {
            if (maximum < 1) {
                throw new IllegalArgumentException("maximumWindows is at least 1, not " + maximum);
            }
            this.maximumWindows = maximum;
            return this;
        }

        /**
         * How many bytes all open regions together may have. Default 2^63 - 1, which is no limit: then direct memory
         * is bounded by what the JVM and Netty allow, in the whole process. A byte that is registered twice counts
         * twice.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maximumRegisteredBytes(long maximum) {
            if (maximum < 1) {
                throw new IllegalArgumentException("maximumRegisteredBytes is at least 1, not " + maximum);
            }
            this.maximumRegisteredBytes = maximum;
            return this;
        }

        /**
         * How many bytes of buffers all streams together may hold for FPDUs whose rest has not come yet. Default 2^63 - 1,
         * which is no limit. A stream that needs more ends with a local error. One FPDU takes up to 64 KiB, and no more than
         * four times what has come of it, or 256 bytes.
         *
         * @param maximum at least 65,792, so that one stream can always receive
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maximumPartialFpduBytes(long maximum) {
            if (maximum < LEAST_PARTIAL_FPDU_BYTES) {
                throw new IllegalArgumentException(
                        "maximumPartialFpduBytes is at least " + LEAST_PARTIAL_FPDU_BYTES + ", not " + maximum);
            }
            this.maximumPartialFpduBytes = maximum;
            return this;
        }

        /** A new device with these limits. */
        public IwarpDevice build() {
            return new IwarpDevice(this, new SecureRandom());
        }
    }
}
