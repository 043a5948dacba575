package io.iwarp.memory;

import io.iwarp.internal.ByteBudget;
import io.iwarp.internal.InputBudget;
import io.iwarp.internal.Setting;
import io.iwarp.internal.Settings;
import io.netty.util.internal.PlatformDependent;
import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The owner of the STags and of the limits on registered memory, which protection domains share. It is the resource
 * manager of RFC 5042 section 3, and the context of verbs. A device is not hardware. It has no threads, and a device
 * without domains holds no resources; {@link #close} only checks that.
 *
 * <p>STags are random numbers of {@link SecureRandom} in the whole range of 32 bits except 0, so that a peer cannot
 * guess one. A retired STag is not issued again before 65,536 later ones were retired (RFC 5040 section 8.1.1 rule 8).
 *
 * <p>Applications that do not trust each other should not share a device: one could exhaust the limits of all, unless
 * {@link DomainLimits} restrict it. {@link ProtectionDomain#create} creates a device for each domain. Any thread may
 * call any method.
 */
public final class IwarpDevice implements AutoCloseable {
    private final int maxRegions;
    private final int maxWindows;
    private final long maxRegisteredBytes;
    private final InputBudget partialFpduBudget;
    private final InputBudget managedReceiveBudget;
    private final ByteBudget sendingBudget;
    private final STagTable stags;
    private final AtomicLongArray refusals = new AtomicLongArray(MemoryLimit.values().length);
    private final Quota regionQuota;
    private final Quota windowQuota;
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards the following.
    private int openDomainCount;
    private boolean closed;

    IwarpDevice(Builder builder, Random random) {
        this.maxRegions = builder.limits.get(Builder.MAX_REGIONS);
        this.maxWindows = builder.limits.get(Builder.MAX_WINDOWS);
        this.maxRegisteredBytes = builder.limits.get(Builder.MAX_REGISTERED_BYTES);
        this.partialFpduBudget = new InputBudget(builder.limits.get(Builder.MAX_PARTIAL_FPDU_BYTES));
        this.managedReceiveBudget = new InputBudget(builder.limits.get(Builder.MAX_MANAGED_RECEIVE_BYTES));
        long maxSending = builder.limits.get(Builder.MAX_SENDING_BYTES);
        this.sendingBudget = new ByteBudget(maxSending == 0 ? Builder.defaultMaxSendingBytes() : maxSending);
        this.stags = new STagTable(random);
        this.regionQuota =
                new Quota(MemoryLimit.REGIONS, maxRegions, MemoryLimit.REGISTERED_BYTES, maxRegisteredBytes, refusals);
        this.windowQuota =
                new Quota(MemoryLimit.WINDOWS, maxWindows, MemoryLimit.REGISTERED_BYTES, Long.MAX_VALUE, refusals);
    }

    /** Returns a device with the default limits. */
    public static IwarpDevice create() {
        return builder().build();
    }

    /** Returns a builder with the default limits. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a new protection domain with the STags of this device, without limits of its own. */
    public ProtectionDomain createProtectionDomain() {
        return createProtectionDomain(DomainLimits.DEFAULT);
    }

    /**
     * Returns a new protection domain with limits of its own, in addition to those of this device.
     *
     * @throws IllegalStateException if the device was closed
     */
    public ProtectionDomain createProtectionDomain(DomainLimits limits) {
        ProtectionDomain domain = new ProtectionDomain(this, limits);
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the device was closed; create another one");
            }
            openDomainCount++;
        } finally {
            lock.unlock();
        }
        return domain;
    }

    /** Called once for each domain. */
    void domainClosed() {
        lock.lock();
        try {
            openDomainCount--;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the device: no protection domain can be created any more. Closing again does nothing.
     *
     * @throws IllegalStateException if domains of the device are open; then the device stays open
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (openDomainCount > 0) {
                throw new IllegalStateException(
                        "the device has " + openDomainCount + " open protection domains; close them before the device");
            }
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the maximum number of registered regions. */
    public int maxRegions() {
        return maxRegions;
    }

    /** Returns the maximum number of bound windows. */
    public int maxWindows() {
        return maxWindows;
    }

    /** Returns the number of bound windows. */
    public int windowCount() {
        return windowQuota.count();
    }

    /** Returns the maximum number of bytes of all registered regions together. */
    public long maxRegisteredBytes() {
        return maxRegisteredBytes;
    }

    /** Returns the number of registered regions. */
    public int regionCount() {
        return regionQuota.count();
    }

    /** Returns the number of bytes of all registered regions together. */
    public long registeredBytes() {
        return regionQuota.bytes();
    }

    /**
     * Returns the maximum number of buffer bytes of all streams together for FPDUs that have arrived in part, and for
     * input that waits for a receive.
     */
    public long maxPartialFpduBytes() {
        return partialFpduBudget.limit();
    }

    /**
     * Returns the number of buffer bytes of all streams together for FPDUs that have arrived in part, and for input
     * that waits for a receive.
     */
    public long partialFpduBytes() {
        return partialFpduBudget.reservedBytes();
    }

    /** Returns the bytes of FPDUs that have arrived in part, and of input that waits for a receive. */
    InputBudget inputBudget() {
        return partialFpduBudget;
    }

    /**
     * Returns the maximum number of buffer bytes of all streams together for messages of managed receives that are not
     * delivered.
     */
    public long maxManagedReceiveBytes() {
        return managedReceiveBudget.limit();
    }

    /**
     * Returns the number of buffer bytes of all streams together for messages of managed receives that are not
     * delivered.
     */
    public long managedReceiveBytes() {
        return managedReceiveBudget.reservedBytes();
    }

    /** Returns the bytes of the messages of managed receives that are not delivered. */
    InputBudget managedReceiveBudget() {
        return managedReceiveBudget;
    }

    /** Returns the maximum number of bytes that all streams together reserve for copies and headers to send. */
    public long maxSendingBytes() {
        return sendingBudget.limit();
    }

    /**
     * Returns the number of bytes that all streams together have reserved for copies and headers to send. A stream
     * reserves pieces of 128 KiB when it holds more than 72 KiB.
     */
    public long sendingBytes() {
        return sendingBudget.reservedBytes();
    }

    /** Returns the bytes that the streams have reserved to send. */
    ByteBudget sendingBudget() {
        return sendingBudget;
    }

    /** Returns the number of STags that were retired: of closed regions, and of invalidated windows. */
    public long retiredSTags() {
        return stags.retirements();
    }

    /** Returns the number of retired STags that must not be issued again yet, 0 to 65,536. */
    public int quarantinedSTags() {
        return stags.quarantined();
    }

    /** Returns how many regions and windows were refused because a limit was reached. */
    public long refusals() {
        long sum = 0;
        for (MemoryLimit limit : MemoryLimit.values()) {
            sum += refusals(limit);
        }
        return sum;
    }

    /** Returns how many regions and windows were refused because this limit was reached, in any domain. */
    public long refusals(MemoryLimit limit) {
        return refusals.get(limit.slot());
    }

    /** Returns the regions of the device and their bytes. */
    Quota regionQuota() {
        return regionQuota;
    }

    /** Returns the windows of the device. */
    Quota windowQuota() {
        return windowQuota;
    }

    /** Returns what is registered now. */
    @Override
    public String toString() {
        return "IwarpDevice[" + regionCount() + " regions of " + registeredBytes() + " bytes, " + windowCount()
                + " windows]";
    }

    /** Returns the STags of the device. */
    STagTable stags() {
        return stags;
    }

    /** Sets the limits of a device. A builder belongs to one thread. */
    public static final class Builder {
        private Settings limits = Settings.DEFAULT;

        private Builder() {}

        private <T> Builder set(Setting<T> limit, T maximum) {
            limits = limits.with(limit, maximum);
            return this;
        }

        private static final Setting<Integer> MAX_REGIONS = Setting.atLeast("maxRegions", 1 << 20, 1);

        /**
         * Sets the maximum number of registered regions. Default 1,048,576. Each region has about 400 bytes of
         * bookkeeping, or about 400 MiB at the default limit.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxRegions(int maximum) {
            return set(MAX_REGIONS, maximum);
        }

        private static final Setting<Integer> MAX_WINDOWS = Setting.atLeast("maxWindows", 1 << 20, 1);

        /**
         * Sets the maximum number of bound windows. Default 1,048,576. Each window has about 300 bytes of bookkeeping.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxWindows(int maximum) {
            return set(MAX_WINDOWS, maximum);
        }

        private static final Setting<Long> MAX_REGISTERED_BYTES =
                Setting.atLeast("maxRegisteredBytes", Long.MAX_VALUE, 1L);

        /**
         * Sets the maximum number of bytes of all registered regions together. Default 2^63 - 1, which is no limit:
         * then only the JVM and Netty limit direct memory, for the whole process. A byte that is registered twice
         * counts twice.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxRegisteredBytes(long maximum) {
            return set(MAX_REGISTERED_BYTES, maximum);
        }

        private static final Setting<Long> MAX_PARTIAL_FPDU_BYTES =
                Setting.atLeast("maxPartialFpduBytes", 256L << 20, 1L << 20);

        /**
         * Sets the maximum number of buffer bytes of all streams together for FPDUs that have arrived in part, and for
         * input that waits for a receive. Default 268,435,456 (256 MiB). Once it is reached, streams with an incomplete
         * FPDU stop reading until others release bytes. The oldest FPDU is served first. No stream is closed because of
         * this limit: older FPDUs either complete or hit {@code fpduTimeout}. The oldest one always gets what it needs.
         *
         * <p>One FPDU takes up to 64 KiB, and at most four times the bytes that have arrived, or 256 bytes. Bytes that
         * were read already are kept and counted even beyond the limit, per stream at most what one read brought, and
         * one FPDU if it waits for a receive: up to 320 KiB.
         *
         * @param maximum at least 1,048,576
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxPartialFpduBytes(long maximum) {
            return set(MAX_PARTIAL_FPDU_BYTES, maximum);
        }

        private static final Setting<Long> MAX_MANAGED_RECEIVE_BYTES =
                Setting.atLeast("maxManagedReceiveBytes", 256L << 20, 1L);

        /**
         * Sets the maximum number of buffer bytes of all streams together for messages of managed receives that are not
         * delivered. Default 268,435,456 (256 MiB). A buffer has at most four times the bytes that have arrived. A
         * message that arrived in one segment counts only while it waits for {@code QueuePair.nextMessage}. Messages in
         * a completion queue do not count; the depth of the receive queue limits them.
         *
         * <p>When it is used up, a stream that needs more for a message stops reading until others have given bytes
         * back, the oldest message first. The {@code messageTimeout} of the message bounds this wait. The oldest
         * message always gets what it needs, and a stream without a message that waits for {@code nextMessage} may
         * begin one, so the limit can be exceeded by one message for each stream.
         *
         * @param maximum at least 1
         * @return this builder
         * @throws IllegalArgumentException if it is less
         */
        public Builder maxManagedReceiveBytes(long maximum) {
            return set(MAX_MANAGED_RECEIVE_BYTES, maximum);
        }

        private static final Setting<Long> MAX_SENDING_BYTES =
                Setting.of("maxSendingBytes", 0L, "at least 1,048,576, or 0", bytes -> bytes == 0 || bytes >= 1L << 20);

        /**
         * Sets the maximum number of bytes that all streams together hold to send, as copies and headers: responses to
         * Reads, short messages, and memory that peers may change. Memory that is sent by reference does not count.
         * Default 0, which means a quarter of Netty's limit of direct memory. Each stream may always hold one segment,
         * up to 72 KiB. While the limit is reached, a stream that holds more ends if its peer takes less than 4 KiB/s
         * for {@code transmitTimeout}.
         *
         * @param maximum at least 1,048,576, or 0
         * @return this builder
         * @throws IllegalArgumentException if it is anything else
         */
        public Builder maxSendingBytes(long maximum) {
            return set(MAX_SENDING_BYTES, maximum);
        }

        private static long defaultMaxSendingBytes() {
            long direct = PlatformDependent.maxDirectMemory();
            return (direct > 0 ? direct : Runtime.getRuntime().maxMemory()) / 4;
        }

        /** Returns a new device with these limits. */
        public IwarpDevice build() {
            return new IwarpDevice(this, new SecureRandom());
        }
    }
}
