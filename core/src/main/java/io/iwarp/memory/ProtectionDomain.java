package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Groups streams and memory: a stream of the domain can be given access to the regions of the domain and to no others
 * (RFC 5041 section 8.2, RFC 5042 section 6.1.1). Put streams whose peers do not trust each other into domains of their
 * own, or register regions for one stream with {@link RegionBuilder#stream}.
 *
 * <p>Any thread may call any method.
 */
public final class ProtectionDomain implements AutoCloseable {
    private final IwarpDevice device;
    private final DomainLimits limits;
    private final ReentrantLock lock = new ReentrantLock();
    // The lock guards all of the following.
    private int openRegions;
    private long registeredBytes;
    private long refusedRegions;
    private long refusedBytes;
    private int openStreams;
    private boolean closed;

    ProtectionDomain(IwarpDevice device, DomainLimits limits) {
        this.device = device;
        this.limits = limits;
    }

    /** A new domain on a device of its own, so that it shares STags and limits with nobody. */
    public static ProtectionDomain create() {
        return IwarpDevice.create().allocateProtectionDomain();
    }

    /** The device whose STags and limits this domain uses. */
    public IwarpDevice device() {
        return device;
    }

    /** What this domain may have at most; the limits of the device hold as well. */
    public DomainLimits limits() {
        return limits;
    }

    /** How many regions of this domain are open now. */
    public int regions() {
        lock.lock();
        try {
            return openRegions;
        } finally {
            lock.unlock();
        }
    }

    /** How many bytes all open regions of this domain together have now. */
    public long registeredBytes() {
        lock.lock();
        try {
            return registeredBytes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * How many regions were refused so far because this limit of the domain was reached; 0 for limits of the device, which
     * {@link IwarpDevice#refusals(MemoryLimit)} counts.
     */
    public long refusals(MemoryLimit limit) {
        lock.lock();
        try {
            return switch (limit) {
                case DOMAIN_REGIONS -> refusedRegions;
                case DOMAIN_REGISTERED_BYTES -> refusedBytes;
                case REGIONS, WINDOWS, REGISTERED_BYTES -> 0;
            };
        } finally {
            lock.unlock();
        }
    }

    /**
     * Registers all bytes of one direct buffer, from index 0 to its capacity, under tagged offsets from 0 on, for all
     * streams of the domain. See {@link RegionBuilder#buffers} for what is asked of the buffer.
     *
     * @param direct a direct buffer; the region takes a reference of its own and gives it back when it is closed
     * @param rights what may be done to the region through its STag; none if none is named
     * @return the region
     * @throws IllegalArgumentException if the buffer cannot be registered; the message says what to do
     * @throws IllegalStateException if the domain was closed
     * @throws ResourceLimitException if a limit of the domain or the device is reached
     */
    public MemoryRegion register(ByteBuf direct, AccessRight... rights) {
        return region().buffers(direct).rights(rights).register();
    }

    /** A builder for a region of this domain. */
    public RegionBuilder region() {
        return new RegionBuilder(this);
    }

    /**
     * Adds a stream to the domain.
     *
     * @return the identity of the stream, to be closed when the stream has ended
     * @throws IllegalStateException if the domain was closed
     */
    public StreamAssociation openStream() {
        lock.lock();
        try {
            requireOpen();
            openStreams++;
        } finally {
            lock.unlock();
        }
        return new StreamAssociation(this);
    }

    /**
     * Closes the domain; afterwards nothing can be registered in it. Closing it again does nothing.
     *
     * @throws IllegalStateException if regions or streams of the domain are open; the domain then stays as it is
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (openRegions > 0 || openStreams > 0) {
                throw new IllegalStateException("the protection domain has open regions (" + openRegions
                        + ") and streams (" + openStreams + "); close them before the domain");
            }
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /** Counts one more region against the limits, or throws and counts nothing. */
    void admitRegion(long bytes) {
        lock.lock();
        try {
            requireOpen();
            if (openRegions == limits.maximumRegions()) {
                refusedRegions++;
                throw device.refused(MemoryLimit.DOMAIN_REGIONS, limits.maximumRegions(), openRegions, 1);
            }
            if (bytes > limits.maximumRegisteredBytes() - registeredBytes) {
                refusedBytes++;
                throw device.refused(
                        MemoryLimit.DOMAIN_REGISTERED_BYTES, limits.maximumRegisteredBytes(), registeredBytes, bytes);
            }
            device.reserve(bytes);
            openRegions++;
            registeredBytes += bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Takes back what {@link #admitRegion} counted. */
    void dismissRegion(long bytes) {
        lock.lock();
        try {
            openRegions--;
            registeredBytes -= bytes;
            device.unreserve(bytes);
        } finally {
            lock.unlock();
        }
    }

    /** Called once for each stream that was opened. */
    void dismissStream() {
        lock.lock();
        try {
            openStreams--;
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the protection domain was closed; create another one");
        }
    }
}
