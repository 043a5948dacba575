package io.iwarp.internal.memory;

import io.iwarp.internal.ByteBudget;
import io.iwarp.internal.InputBudget;
import io.iwarp.internal.Setting;
import io.iwarp.internal.Settings;
import io.iwarp.memory.DomainLimits;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryLimit;
import io.netty.util.internal.PlatformDependent;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** The STags, the limits and the budgets that the domains and streams of a device share. */
public final class DefaultIwarpDevice implements IwarpDevice {
    public static final Setting<Integer> MAX_REGIONS = Setting.atLeast("maxRegions", 1 << 20, 1);
    public static final Setting<Integer> MAX_WINDOWS = Setting.atLeast("maxWindows", 1 << 20, 1);
    public static final Setting<Long> MAX_REGISTERED_BYTES = Setting.atLeast("maxRegisteredBytes", Long.MAX_VALUE, 1L);
    public static final Setting<Long> MAX_PARTIAL_FPDU_BYTES =
            Setting.atLeast("maxPartialFpduBytes", 256L << 20, 1L << 20);
    public static final Setting<Long> MAX_MANAGED_RECEIVE_BYTES =
            Setting.atLeast("maxManagedReceiveBytes", 256L << 20, 1L);
    public static final Setting<Long> MAX_SENDING_BYTES =
            Setting.of("maxSendingBytes", 0L, "at least 1,048,576, or 0", bytes -> bytes == 0 || bytes >= 1L << 20);

    private final int maxRegions;
    private final int maxWindows;
    private final long maxRegisteredBytes;
    private final InputBudget partialFpduBudget;
    private final InputBudget managedReceiveBudget;
    private final ByteBudget sendingBudget;
    private final STagTable stags;
    private final Map<MemoryLimit, LongAdder> refusals = new ConcurrentHashMap<>();
    private final Quota regionQuota;
    private final Quota windowQuota;
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards the following.
    private int openDomainCount;
    private boolean closed;

    /** Creates a device with limits, of which those that are not set have their defaults. */
    public DefaultIwarpDevice(Settings limits, Random random) {
        this.maxRegions = limits.get(MAX_REGIONS);
        this.maxWindows = limits.get(MAX_WINDOWS);
        this.maxRegisteredBytes = limits.get(MAX_REGISTERED_BYTES);
        this.partialFpduBudget = new InputBudget(limits.get(MAX_PARTIAL_FPDU_BYTES));
        this.managedReceiveBudget = new InputBudget(limits.get(MAX_MANAGED_RECEIVE_BYTES));
        long maxSending = limits.get(MAX_SENDING_BYTES);
        this.sendingBudget = new ByteBudget(maxSending == 0 ? defaultMaxSendingBytes() : maxSending);
        this.stags = new STagTable(random);
        this.regionQuota =
                new Quota(MemoryLimit.REGIONS, maxRegions, MemoryLimit.REGISTERED_BYTES, maxRegisteredBytes, refusals);
        this.windowQuota =
                new Quota(MemoryLimit.WINDOWS, maxWindows, MemoryLimit.REGISTERED_BYTES, Long.MAX_VALUE, refusals);
    }

    private static long defaultMaxSendingBytes() {
        long direct = PlatformDependent.maxDirectMemory();
        return (direct > 0 ? direct : Runtime.getRuntime().maxMemory()) / 4;
    }

    @Override
    public DefaultProtectionDomain createProtectionDomain() {
        return createProtectionDomain(DomainLimits.DEFAULT);
    }

    @Override
    public DefaultProtectionDomain createProtectionDomain(DomainLimits limits) {
        DefaultProtectionDomain domain = new DefaultProtectionDomain(this, limits);
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

    @Override
    public int maxRegions() {
        return maxRegions;
    }

    @Override
    public int maxWindows() {
        return maxWindows;
    }

    @Override
    public int windowCount() {
        return windowQuota.count();
    }

    @Override
    public long maxRegisteredBytes() {
        return maxRegisteredBytes;
    }

    @Override
    public int regionCount() {
        return regionQuota.count();
    }

    @Override
    public long registeredBytes() {
        return regionQuota.bytes();
    }

    @Override
    public long maxPartialFpduBytes() {
        return partialFpduBudget.limit();
    }

    @Override
    public long partialFpduBytes() {
        return partialFpduBudget.reservedBytes();
    }

    /** Returns the bytes of FPDUs that have arrived in part, and of input that waits for a receive. */
    InputBudget inputBudget() {
        return partialFpduBudget;
    }

    @Override
    public long maxManagedReceiveBytes() {
        return managedReceiveBudget.limit();
    }

    @Override
    public long managedReceiveBytes() {
        return managedReceiveBudget.reservedBytes();
    }

    /** Returns the bytes of the messages of managed receives that are not delivered. */
    InputBudget managedReceiveBudget() {
        return managedReceiveBudget;
    }

    @Override
    public long maxSendingBytes() {
        return sendingBudget.limit();
    }

    @Override
    public long sendingBytes() {
        return sendingBudget.reservedBytes();
    }

    /** Returns the bytes that the streams have reserved to send. */
    ByteBudget sendingBudget() {
        return sendingBudget;
    }

    @Override
    public long retiredSTags() {
        return stags.retirements();
    }

    @Override
    public int quarantinedSTags() {
        return stags.quarantined();
    }

    @Override
    public long refusals() {
        long sum = 0;
        for (MemoryLimit limit : MemoryLimit.values()) {
            sum += refusals(limit);
        }
        return sum;
    }

    @Override
    public long refusals(MemoryLimit limit) {
        LongAdder count = refusals.get(limit);
        return count == null ? 0 : count.sum();
    }

    /** Returns the regions of the device and their bytes. */
    Quota regionQuota() {
        return regionQuota;
    }

    /** Returns the windows of the device. */
    Quota windowQuota() {
        return windowQuota;
    }

    @Override
    public String toString() {
        return "IwarpDevice[" + regionCount() + " regions of " + registeredBytes() + " bytes, " + windowCount()
                + " windows]";
    }

    /** Returns the STags of the device. */
    STagTable stags() {
        return stags;
    }
}
