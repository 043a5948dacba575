package io.iwarp.internal.memory;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.DomainLimits;
import io.iwarp.memory.MemoryLimit;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RegionClosedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The streams of a domain, and what is registered in it. */
public final class DefaultProtectionDomain implements ProtectionDomain {
    private final DefaultIwarpDevice device;
    private final DomainLimits limits;
    private final STagTable stags;
    private final Quota regionQuota;
    /** Guards the fields below, and keeps a region from being admitted to a closed domain. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<StreamAssociation> streams = new HashSet<>();
    private boolean closed;

    private final CompletableFuture<Void> closeFuture = new CompletableFuture<>();

    DefaultProtectionDomain(DefaultIwarpDevice device, DomainLimits limits) {
        this.device = device;
        this.limits = limits;
        this.stags = device.stags();
        this.regionQuota = device.regionQuota().ofDomain(limits);
    }

    @Override
    public DefaultIwarpDevice device() {
        return device;
    }

    /** Returns the STags of the device. */
    STagTable stags() {
        return stags;
    }

    @Override
    public DomainLimits limits() {
        return limits;
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
    public long refusals(MemoryLimit limit) {
        return regionQuota.refusals(limit);
    }

    @Override
    public DefaultMemoryRegion register(ByteBuf direct, AccessRight... rights) {
        return region().buffers(direct).rights(rights).register();
    }

    @Override
    public DefaultMemoryRegion allocate(long length, AccessRight... rights) {
        return region().allocate(ByteBufAllocator.DEFAULT, length)
                .rights(rights)
                .register();
    }

    @Override
    public DefaultRegionBuilder region() {
        return new DefaultRegionBuilder(this);
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

    @Override
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
