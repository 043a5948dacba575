package io.iwarp.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The identity of one stream in its protection domain: what an access is checked against (RFC 5041 section 8.2). A
 * region can be registered for this stream alone with {@link RegionBuilder#stream}.
 *
 * <p>Any thread may call any method.
 */
public final class StreamAssociation implements AutoCloseable {
    private final ProtectionDomain protectionDomain;
    private final ReentrantLock lock = new ReentrantLock();
    /** The valid regions that were registered for this stream alone. */
    private final Set<MemoryRegion> regions = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Changed under the lock, read without it by lookups. */
    private volatile boolean closed;

    StreamAssociation(ProtectionDomain protectionDomain) {
        this.protectionDomain = protectionDomain;
    }

    /** The domain of the stream. */
    public ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    /**
     * Finds what an STag names. What is found can belong to another stream or domain of the device, which
     * {@link TaggedBuffer#check} tells. Takes no lock and allocates nothing.
     *
     * @param stag an STag that a peer sent, any 32-bit value
     * @return the tagged buffer, or null when there is no such STag, it was revoked, or this stream was closed
     */
    public @Nullable TaggedBuffer lookup(int stag) {
        return closed ? null : protectionDomain.device().find(stag);
    }

    /**
     * Takes the stream out of its domain and invalidates the regions that were registered for it alone, as their STags
     * mean nothing without it; the regions must still be closed by their owner. When this method returns, no peer
     * changes those regions any more. Closing again does nothing.
     */
    @Override
    public void close() {
        List<MemoryRegion> orphans;
        boolean first;
        lock.lock();
        try {
            first = !closed;
            closed = true;
            orphans = new ArrayList<>(regions);
        } finally {
            lock.unlock();
        }
        for (MemoryRegion orphan : orphans) {
            orphan.invalidate();
        }
        if (first) {
            protectionDomain.dismissStream();
        }
    }

    /** Ties a region to this stream. False when the stream was closed. */
    boolean attach(MemoryRegion region) {
        lock.lock();
        try {
            if (!closed) {
                regions.add(region);
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a region that was invalidated. */
    void detach(MemoryRegion region) {
        lock.lock();
        try {
            regions.remove(region);
        } finally {
            lock.unlock();
        }
    }
}
