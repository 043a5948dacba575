package io.iwarp.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Groups streams and memory: a stream can access only regions of its domain (RFC 5041 section 8.2, RFC 5042 section
 * 6.1.1). If peers do not trust each other, put their streams into separate domains, or register regions for one stream
 * with {@code QueuePair.region}.
 *
 * <p>Any thread may call any method.
 */
public final class ProtectionDomain implements AutoCloseable {
    private final IwarpDevice device;
    private final DomainLimits limits;
    private final STagTable stags;
    private final Quota regionQuota;
    /** Guards the fields below, and keeps a region from being admitted to a closed domain. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<StreamAssociation> streams = new HashSet<>();
    private boolean closed;

    private final CompletableFuture<Void> closeFuture = new CompletableFuture<>();

    ProtectionDomain(IwarpDevice device, DomainLimits limits) {
        this.device = device;
        this.limits = limits;
        this.stags = device.stags();
        this.regionQuota = device.regionQuota().ofDomain(limits);
    }

    /** Returns a new domain on a new device, so that it shares no STags and limits. */
    public static ProtectionDomain create() {
        return IwarpDevice.create().createProtectionDomain();
    }

    /** Returns the device whose STags and limits this domain uses. */
    public IwarpDevice device() {
        return device;
    }

    /** Returns the STags of the device. */
    STagTable stags() {
        return stags;
    }

    /** Returns the limits of this domain. The limits of the device apply as well. */
    public DomainLimits limits() {
        return limits;
    }

    /** Returns the number of registered regions of this domain, whose STags are valid. */
    public int regionCount() {
        return regionQuota.count();
    }

    /** Returns the number of bytes of all registered regions of this domain. */
    public long registeredBytes() {
        return regionQuota.bytes();
    }

    /**
     * Returns the number of regions that were refused because this limit of the domain was reached. 0 for limits of the
     * device, which {@link IwarpDevice#refusals(MemoryLimit)} counts.
     */
    public long refusals(MemoryLimit limit) {
        return regionQuota.refusals(limit);
    }

    /**
     * Registers all bytes of one direct buffer, from index 0 to its capacity, under tagged offsets from 0 on, for all
     * streams of the domain. See {@link RegionBuilder#buffers} for the requirements on the buffer.
     *
     * @param direct a direct buffer; the region retains it, and releases it when it is closed
     * @param rights the rights of the region; may be none
     * @return the region
     * @throws IllegalArgumentException if the buffer cannot be registered; the message says what to do
     * @throws IllegalStateException if the domain was closed
     * @throws ResourceLimitException if a limit of the domain or the device is reached
     */
    public MemoryRegion register(ByteBuf direct, AccessRight... rights) {
        return region().buffers(direct).rights(rights).register();
    }

    /**
     * Allocates memory that is zero, and registers it. {@link #region} has more options.
     *
     * @param length the number of bytes, at least 1
     * @param rights the rights of the region; may be none
     * @return the region, which releases its memory when it is closed
     * @throws IllegalStateException if the domain was closed
     * @throws ResourceLimitException if a limit of the domain or the device is reached
     */
    public MemoryRegion allocate(long length, AccessRight... rights) {
        return region().allocate(ByteBufAllocator.DEFAULT, length)
                .rights(rights)
                .register();
    }

    /** Returns a builder for a region of this domain. */
    public RegionBuilder region() {
        return new RegionBuilder(this);
    }

    /** Opens a stream; see {@link StreamAssociation#open}. */
    StreamAssociation openStream() {
        lock.lock();
        try {
            requireOpen();
            StreamAssociation stream = new StreamAssociation(this);
            streams.add(stream);
            return stream;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the domain: nothing can be registered in it any more, and no connection uses it. Connections that are
     * {@linkplain io.iwarp.ConnectionState#DRAINING closing} go on to their end, which {@link #closed} reports; regions
     * for one of them alone end with it. Closing again does nothing.
     *
     * @throws IllegalStateException if other regions or connections of the domain are open; then the domain stays open
     */
    @Override
    public void close() {
        lock.lock();
        try {
            int openStreams = 0;
            int endingRegions = 0;
            for (StreamAssociation stream : streams) {
                if (stream.isClosing()) {
                    endingRegions += stream.regionCount;
                } else {
                    openStreams++;
                }
            }
            if (regionCount() > endingRegions || openStreams > 0) {
                throw new IllegalStateException("the protection domain has open regions ("
                        + (regionCount() - endingRegions) + ") and streams (" + openStreams
                        + "); close them before the domain");
            }
            if (!closed) {
                closed = true;
                device.domainClosed();
            }
        } finally {
            lock.unlock();
        }
        completeIfEnded();
    }

    /**
     * Returns a future that completes when the domain is {@linkplain #close closed} and its last connection has ended,
     * on the thread that closes the domain or on the event loop of that connection.
     */
    public CompletableFuture<Void> closed() {
        return closeFuture.copy();
    }

    private void completeIfEnded() {
        lock.lock();
        try {
            if (!closed || regionCount() > 0 || !streams.isEmpty()) {
                return;
            }
        } finally {
            lock.unlock();
        }
        closeFuture.complete(null);
    }

    /** Returns what is registered now, and whether the domain was closed. */
    @Override
    public String toString() {
        lock.lock();
        try {
            return "ProtectionDomain[" + regionCount() + " regions of " + registeredBytes() + " bytes, "
                    + streams.size() + " streams" + (closed ? ", closed]" : "]");
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reserves one region, or throws and reserves nothing.
     *
     * @param stream the only stream that may use it, or null for all streams of the domain
     * @throws RegionClosedException if the domain was closed, and with it the stream is closing
     */
    void reserveRegion(long bytes, @Nullable StreamAssociation stream) {
        lock.lock();
        try {
            if (closed && stream != null) {
                throw StreamAssociation.regionAfterClose();
            }
            requireOpen();
            regionQuota.reserve(bytes);
            if (stream != null) {
                stream.regionCount++;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Undoes {@link #reserveRegion}. */
    void releaseRegion(long bytes, @Nullable StreamAssociation stream) {
        lock.lock();
        try {
            if (stream != null) {
                stream.regionCount--;
            }
            regionQuota.release(bytes);
        } finally {
            lock.unlock();
        }
        completeIfEnded();
    }

    /** Called once for each stream that was opened. */
    void removeStream(StreamAssociation stream) {
        lock.lock();
        try {
            streams.remove(stream);
        } finally {
            lock.unlock();
        }
        completeIfEnded();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the protection domain was closed; create another one");
        }
    }
}
